import UV

/// The version of a file that a client has already. It needs no answer if that is still the file's.
struct Conditions {
  var ifNoneMatch: Bytes?
  var ifModifiedSince: Bytes?
  var ifRange: Bytes?

  /// Whether the client has the file as it is.
  func isNotModified(_ page: Page) -> Bool {
    // Tags are more exact than times, so these are looked at only where there are no tags.
    if let ifNoneMatch {
      return ifNoneMatch.split(separator: UInt8(ascii: ",")).contains { tag in
        var tag = Bytes(tag).trimmed
        if tag.starts(with: "W/") { tag = Bytes(tag[2...]) }
        return tag == page.tag || tag == "*"
      }
    }
    guard let ifModifiedSince else { return false }
    if ifModifiedSince == page.lastModified { return true }
    return HTTPDate.seconds(ifModifiedSince).map { page.modificationTime <= $0 } ?? false
  }

  /// Whether a part of the file fits those that the client has.
  func allowsRanges(_ page: Page) -> Bool {
    guard let ifRange else { return true }
    return ifRange == page.tag || ifRange == page.lastModified
  }
}
