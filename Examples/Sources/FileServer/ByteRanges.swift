/// The parts of a file that a client asks for.
enum ByteRanges {
  /// A client that wants more parts than this gets the whole file.
  private static let limit = 16

  /// Understands `bytes=0-99,200-,-50`.
  ///
  /// - Returns: The parts that are in the file; none if that is true of none of them. Nil if the field isn't
  ///   understood, and has to be ignored.
  static func parse(_ field: String, size: Int) -> [Range<Int>]? {
    guard field.hasPrefix("bytes=") else { return nil }
    var ranges: [Range<Int>] = []
    let parts = field.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false)
    if parts.count > limit { return nil }
    for part in parts {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(\.trimmed)
      guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return nil }
      switch (Int(ends[0]), Int(ends[1])) {
      case (nil, let count?) where ends[0].isEmpty:
        // So many bytes of the end.
        if count > 0, size > 0 { ranges.append(max(0, size - count)..<size) }
      case (let start?, nil) where ends[1].isEmpty: if start < size { ranges.append(start..<size) }
      case (let start?, let last?) where start <= last:
        if start < size { ranges.append(start..<min(last, size - 1) + 1) }
      default: return nil
      }
    }
    // A client that wants the same bytes several times gets them once, with the whole file.
    return ranges.reduce(0) { $0 + $1.count } > size ? nil : ranges
  }
}

extension Substring {
  /// Without the blanks around it.
  var trimmed: Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? startIndex
    return self[..<end].drop(while: isBlank)
  }
}
