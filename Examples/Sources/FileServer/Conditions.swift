import UVHTTP

/// What a client says of the version of a file that it has. It needs no answer if that is still the file's.
extension HTTPFields {
  /// Whether the client says anything of that, or of the parts that it wants.
  var haveConditions: Bool { contains { $0.name == .range || $0.name.canonicalName.hasPrefix("if-") } }

  /// Whether the client has the file as it is.
  func allowNotModified(_ page: Page) -> Bool {
    // Tags are more exact than times, so these are looked at only where there are no tags.
    if let tags = self[.ifNoneMatch] {
      return tags.split(separator: ",").map(\.trimmed).contains { tag in
        tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == page.tag
      }
    }
    return self[.ifModifiedSince].flatMap { HTTPDate($0) }.map { page.modified <= $0 } ?? false
  }

  /// Which parts of the file the client asks for, if they fit those that it has; nil for all of it.
  func ranges(of page: Page) -> [Range<Int>]? {
    if let version = self[.ifRange], version != page.tag, version != "\(page.modified)" { return nil }
    return self[.range].flatMap { ByteRanges.parse($0, size: page.size) }
  }
}
