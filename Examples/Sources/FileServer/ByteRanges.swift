import UV

/// The parts of a file that a client asks for.
enum ByteRanges {
  /// A client that wants more parts than this gets the whole file.
  private static let limit = 16

  /// Understands `bytes=0-99,200-,-50`.
  ///
  /// - Returns: The parts that are in the file; none if that is true of none of them. Nil if the field isn't
  ///   understood, and has to be ignored.
  static func parse(_ field: Bytes, size: Int) -> [Range<Int>]? {
    guard field.starts(with: "bytes=") else { return nil }
    var ranges: [Range<Int>] = []
    let parts = field[6...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    if parts.count > limit { return nil }
    for part in parts {
      let part = Bytes(part).trimmed
      guard let hyphen = part.firstIndex(of: UInt8(ascii: "-")) else { return nil }
      let (first, last) = (Bytes(part[..<hyphen]), Bytes(part[(hyphen + 1)...]))
      if first.isEmpty {
        // So many bytes of the end.
        guard let count = last.number else { return nil }
        if count > 0, size > 0 { ranges.append(max(0, size - count)..<size) }
      } else {
        guard let start = first.number else { return nil }
        var end = size
        if !last.isEmpty {
          guard let last = last.number, last >= start else { return nil }
          end = min(last, size - 1) + 1
        }
        if start < size { ranges.append(start..<end) }
      }
    }
    // A client that wants the same bytes several times gets them once, with the whole file.
    if ranges.reduce(0, { $0 + $1.count }) > size { return nil }
    return ranges
  }
}
