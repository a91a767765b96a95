extension LoopSnapshot {
  /// The snapshot as one line of JSON, for programs that don't use Foundation's `JSONEncoder`. The names are
  /// those of the properties, and durations are whole milliseconds. A property that is nil is left out.
  public var json: String {
    var text = ""
    LoopSnapshot.append(self, to: &text)
    return text
  }

  /// Appends a value of a snapshot, which the mirrors of its types describe in the same way as the encoder
  /// does.
  private static func append(_ value: Any, to text: inout String) {
    switch value {
    case let text_ as String: append(quoted: text_, to: &text)
    case let duration as Duration: text += "\(duration.wholeMilliseconds)"
    case let type as HandleType: append(quoted: type.rawValue, to: &text)
    case let state as TaskSnapshot.State: append(quoted: state.rawValue, to: &text)
    case let number as any FixedWidthInteger: text += "\(number)"
    case let flag as Bool: text += "\(flag)"
    default: append(mirrored: Mirror(reflecting: value), to: &text)
    }
  }

  private static func append(mirrored mirror: Mirror, to text: inout String) {
    let isList = mirror.displayStyle == .collection
    text += isList ? "[" : "{"
    var isFirst = true
    for (label, value) in mirror.children {
      guard let value = unwrapped(value) else { continue }
      if !isFirst { text += "," }
      isFirst = false
      if !isList {
        append(quoted: label ?? "", to: &text)
        text += ":"
      }
      append(value, to: &text)
    }
    text += isList ? "]" : "}"
  }

  /// The value in an optional; nil if there is none.
  private static func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }

  /// Appends a text as JSON has it.
  package static func append(quoted value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

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
