#if HTTP || Everything
/// The extensions after a chunk's size (RFC 9112, 7.1.1): `;name`, `;name=token` or `;name="text"`, as many as there
/// are. Nobody needs them here. But a recipient that passes over what isn't one may read another message than others do.
enum ChunkExtensions {
  /// Finds the end of the extensions. Blanks between their parts are passed over: a recipient has to take them, though
  /// no sender may write them (RFC 9110, 5.6.3).
  ///
  /// - Parameters:
  ///   - start: The position after the size.
  ///   - allowsBlank: Whether there may be blanks between the size and the first extension, too.
  /// - Returns: The position after them, where the line's end has to be; nil if they may go on with the next byte.
  static func end(_ bytes: Span<UInt8>, from start: Int, allowsBlank: Bool) throws(Refusal) -> Int? {
    if !allowsBlank, start < bytes.count, bytes[start].isBlank { return start }
    var position = start
    while let isExtension = skip(UInt8(ascii: ";"), bytes, &position) {
      if !isExtension { return position }
      let name = position
      while position < bytes.count, bytes[position].isToken { position += 1 }
      if position == bytes.count { return nil }
      if position == name { throw .badRequest("an extension of a chunk has no name") }
      guard let hasValue = skip(UInt8(ascii: "="), bytes, &position) else { return nil }
      if hasValue, try !skipValue(bytes, &position) { return nil }
    }
    return nil
  }

  /// Passes over a character and the blanks around it, if it is the next one.
  ///
  /// - Returns: Whether it was; nil if that isn't known yet.
  private static func skip(_ character: UInt8, _ bytes: Span<UInt8>, _ position: inout Int) -> Bool? {
    var next = position
    while next < bytes.count, bytes[next].isBlank { next += 1 }
    if next == bytes.count { return nil }
    if bytes[next] != character { return false }
    next += 1
    while next < bytes.count, bytes[next].isBlank { next += 1 }
    position = next
    return next == bytes.count ? nil : true
  }

  /// - Returns: False if more bytes have to come.
  private static func skipValue(_ bytes: Span<UInt8>, _ position: inout Int) throws(Refusal) -> Bool {
    let start = position
    if bytes[start] != UInt8(ascii: "\"") {
      while position < bytes.count, bytes[position].isToken { position += 1 }
      if position == start { throw .badRequest("an extension of a chunk has no value") }
      return position < bytes.count
    }
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      // A character that is quoted.
      if bytes[position] == UInt8(ascii: "\\") {
        position += 1
        if position == bytes.count { return false }
      }
      if bytes[position] == .lineFeed || bytes[position] == .carriageReturn { throw .bareLineEnd }
      guard bytes[position].isFieldValue else {
        throw .badRequest("an extension of a chunk has a control character")
      }
      position += 1
    }
    position += 1
    return position < bytes.count
  }
}
#endif
