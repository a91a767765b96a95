#if HTTP || Everything
import HTTPTypes
import UVHTTP

/// The conditions of a request: the version of a file that the client has, and when it wants an answer all the same.
struct Conditions {
  /// The version of what would be sent. A directory's list has none.
  let tag: EntityTag?
  let modified: HTTPDate?

  enum Outcome: Equatable {
    /// The request is carried out.
    case proceed
    /// The client has what it asks for: 304.
    case notModified
    /// The file isn't as the client requires: 412.
    case failed
  }

  /// Evaluates the fields of a GET or HEAD in their order of precedence (RFC 9110, 13.2.2). A tag is more exact than a time,
  /// so a time is looked at only where there is no tag.
  func outcome(_ fields: HTTPFields) -> Outcome {
    if let field = fields[.ifMatch] {
      if !matches(field, { $0.isStronglyEqual(to: $1) }) { return .failed }
    } else if let date = fields[.ifUnmodifiedSince].flatMap({ HTTPDate($0) }), let modified, modified > date {
      return .failed
    }
    if let field = fields[.ifNoneMatch] {
      if matches(field, { $0.isWeaklyEqual(to: $1) }) { return .notModified }
    } else if let date = fields[.ifModifiedSince].flatMap({ HTTPDate($0) }), let modified, modified <= date {
      return .notModified
    }
    return .proceed
  }

  /// Whether the parts that the client asks for fit those that it has (RFC 9110, 13.1.5).
  func allowRanges(_ fields: HTTPFields) -> Bool {
    guard let field = fields[.ifRange] else { return true }
    if field.utf8.contains(UInt8(ascii: "\"")) {
      let tags = EntityTag.list(field)
      return tags.count == 1 && tag.map { $0.isStronglyEqual(to: tags[0]) } ?? false
    }
    return HTTPDate(field).map { $0 == modified } ?? false
  }

  private func matches(_ field: String, _ areEqual: (EntityTag, EntityTag) -> Bool) -> Bool {
    if field == "*" { return true }
    guard let tag else { return false }
    return EntityTag.list(field).contains { areEqual($0, tag) }
  }
}

extension HTTPFields {
  /// Whether the client says anything of versions, or of the parts that it wants.
  var haveConditions: Bool { contains { $0.name == .range || $0.name.canonicalName.hasPrefix("if-") } }
}
#endif
