/// Reads a server's answer, in which nothing is believed. RFC 1035 says how it is written.
struct MessageReader {
  private let bytes: [UInt8]
  private var position: Int
  private var end: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  var isAtEnd: Bool { position == end }

  /// A number in network order.
  mutating func integer<Word: FixedWidthInteger & UnsignedInteger>() throws(AresError) -> Word {
    try take(Word.bitWidth / 8).reduce(0) { $0 << 8 | Word($1) }
  }

  mutating func take(_ count: Int) throws(AresError) -> ArraySlice<UInt8> {
    guard count <= end - position else { throw AresError.malformed }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// All that is left.
  mutating func rest() throws(AresError) -> Bytes { Bytes(try take(end - position)) }

  /// Bytes with their number before them.
  mutating func string() throws(AresError) -> Bytes {
    let count: UInt8 = try integer()
    return Bytes(try take(Int(count)))
  }

  /// Text with its length before it. Bytes that aren't UTF-8 become the replacement character.
  mutating func text() throws(AresError) -> String { String(decoding: try string(), as: UTF8.self) }

  /// A name, whose end may stand further up in the message. The root is ".".
  mutating func name() throws(AresError) -> String {
    var text = ""
    var length = 0
    var place = position
    /// Where the name ends, once it goes on elsewhere.
    var next: Int?
    var references = 0
    while true {
      // A reference leads back, so that there are no circles; what it leads to may end with the message alone.
      let limit = next == nil ? end : bytes.count
      guard place < limit else { throw AresError.malformed }
      let count = Int(bytes[place])
      switch count {
      case 0:
        position = next ?? place + 1
        return text.isEmpty ? "." : text
      case 1..<64:
        length += count + 1
        guard place + count < limit, length < 255 else { throw AresError.malformed }
        if !text.isEmpty { text += "." }
        Self.append(bytes[(place + 1)...(place + count)], to: &text)
        place += count + 1
      case 192...:
        guard place + 1 < limit else { throw AresError.malformed }
        let target = (count & 63) << 8 | Int(bytes[place + 1])
        // A name has 127 labels at most. A message of references alone would take long to read.
        references += 1
        guard target < place, references < 128 else { throw AresError.malformed }
        next = next ?? place + 2
        place = target
      default: throw AresError.malformed
      }
    }
  }

  /// Writes a label as master files have it: with `\` before a dot or a backslash, and others than ASCII's as
  /// numbers.
  private static func append(_ label: ArraySlice<UInt8>, to text: inout String) {
    for byte in label {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
      case 33..<127: text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
  }

  /// Calls `body` with a reader of the next bytes, which reads all of them.
  mutating func within<T>(
    _ count: Int, _ body: (inout MessageReader) throws(AresError) -> T
  ) throws(AresError) -> T {
    guard count <= end - position else { throw AresError.malformed }
    var part = self
    part.end = position + count
    let value = try body(&part)
    guard part.isAtEnd else { throw AresError.malformed }
    position += count
    return value
  }
}

extension RecordType {
  /// The records of this type in a server's answer.
  func answers(in bytes: [UInt8]) throws(AresError) -> [DNSAnswer<Value>] {
    var reader = MessageReader(bytes)
    // The number and flags of the message, which c-ares has looked at.
    _ = try reader.take(4)
    let questions: UInt16 = try reader.integer()
    let count: UInt16 = try reader.integer()
    _ = try reader.take(4)
    for _ in 0..<questions {
      _ = try reader.name()
      _ = try reader.take(4)
    }
    var answers: [DNSAnswer<Value>] = []
    for _ in 0..<count {
      let name = try reader.name()
      let type: UInt16 = try reader.integer()
      let kind: UInt16 = try reader.integer()
      let seconds: UInt32 = try reader.integer()
      let length: UInt16 = try reader.integer()
      // Aliases on the way to the records stand here, too.
      guard type == number, kind == 1 else {
        _ = try reader.take(Int(length))
        continue
      }
      let value = try reader.within(Int(length), read)
      // More than 68 years counts as none.
      let lifetime = seconds > UInt32(Int32.max) ? 0 : seconds
      answers.append(DNSAnswer(name: name, timeToLive: .seconds(lifetime), value: value))
    }
    if answers.isEmpty { throw AresError.noData }
    return answers
  }
}
