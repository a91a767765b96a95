// A `Duration` encodes itself as two numbers that a reader can't make sense of. In a snapshot it is a number
// of milliseconds. The compiler prefers these functions to the generic ones where it writes the code for a
// `Codable` type of this module.

extension Duration {
  /// Whole milliseconds, of any sign.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}

extension KeyedEncodingContainer {
  mutating func encode(_ value: Duration, forKey key: Key) throws {
    try encode(value.wholeMilliseconds, forKey: key)
  }

  mutating func encodeIfPresent(_ value: Duration?, forKey key: Key) throws {
    try encodeIfPresent(value?.wholeMilliseconds, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
    .milliseconds(try decode(Int64.self, forKey: key))
  }

  func decodeIfPresent(_: Duration.Type, forKey key: Key) throws -> Duration? {
    try decodeIfPresent(Int64.self, forKey: key).map { .milliseconds($0) }
  }
}
