#if HTTP || Everything
import UV

/// A version of a file, as `ETag` names it: `"1a2b-c"`, or `W/"1a2b-c"` for one that may be of other bytes.
struct EntityTag: Equatable, CustomStringConvertible {
  let isWeak: Bool
  /// With its quotation marks.
  let opaque: String

  init(isWeak: Bool, opaque: String) { (self.isWeak, self.opaque) = (isWeak, opaque) }

  /// The version of a file.
  ///
  /// - Parameter coding: That of a version beside the file, whose times may be the file's own.
  init(_ status: FileStatus, coding: String? = nil, isWeak: Bool) {
    let (seconds, attoseconds) = status.modificationTime.components
    let nanoseconds = Int(seconds) &* 1_000_000_000 &+ Int(attoseconds / 1_000_000_000)
    let version = "\(String(nanoseconds, radix: 16))-\(String(status.size, radix: 16))"
    self.init(isWeak: isWeak, opaque: "\"\(version)\(coding.map { "-\($0)" } ?? "")\"")
  }

  var description: String { isWeak ? "W/\(opaque)" : opaque }

  /// Whether both are of the same bytes for certain (RFC 9110, 8.8.3.2).
  func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

  /// Whether one may stand for the other.
  func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

  /// The tags of a list, such as `"a", W/"b,c"`. What isn't a tag names no version, and is left out.
  static func list(_ field: String) -> [EntityTag] {
    var tags: [EntityTag] = []
    var rest = field.utf8[...]
    while let mark = rest.firstIndex(of: UInt8(ascii: "\"")) {
      let before = rest[..<mark].drop {
        $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",")
      }
      guard let end = rest[rest.index(after: mark)...].firstIndex(of: UInt8(ascii: "\"")) else { break }
      if before.isEmpty || before.elementsEqual("W/".utf8) {
        tags.append(EntityTag(isWeak: !before.isEmpty, opaque: String(Substring(rest[mark...end]))))
      }
      rest = rest[rest.index(after: end)...]
    }
    return tags
  }
}
#endif
