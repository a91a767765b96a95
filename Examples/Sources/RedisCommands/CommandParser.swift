import UV

/// Why the bytes of a client can't be understood.
struct ProtocolError: Error {
  let message: String
}

/// Puts commands together from the bytes of a connection, as they come.
///
/// A command is an array of byte strings, `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`, or a line of words, `GET a\r\n`.
struct CommandParser {
  static let maxArguments = 1 << 20
  /// What an argument costs besides its bytes: its place among the others, and the memory that a copy of its
  /// own takes.
  static let argumentCost = 96
  /// How many arguments there is memory for between two commands.
  static let keptArguments = 64
  /// From how many bytes on the last argument is kept as it comes.
  static let large = 128 * 1024
  /// How long a line of words may be, and a number.
  static let maxLine = 4096
  static let maxDigits = 10

  /// The name and the arguments of the command that was found last. They share the memory of what was read:
  /// keep copies.
  private(set) var arguments: [Bytes] = []
  /// The last argument in the pieces in which it came, if it is large; it is empty in `arguments` then. To
  /// put a megabyte together would take more time than everything else that is done with it.
  private(set) var largeArgument: [Bytes] = []
  /// How many of the arguments are copies: those of a command that hasn't come completely.
  private var copied = 0

  private let maxValue: Int
  /// How many bytes the rest of the command may have.
  private var room = 0
  /// The bytes that have come, and how many of them belong to commands that have been read.
  private var bytes = Bytes()
  private var position = 0
  /// How many arguments the command lacks; 0 between two commands.
  private var missingArguments = 0
  /// An argument of which only a part has come, and how many bytes it lacks.
  private var part: BytesBuilder?
  private var isLarge = false
  private var missingBytes = 0

  init(maxValue: Int) { self.maxValue = maxValue }

  /// Adds bytes that have come, after everything before has been understood as far as possible.
  mutating func append(_ more: Bytes) {
    if position == bytes.count {
      bytes = more
    } else {
      // The beginning of a line is left, which is short.
      var both = BytesBuilder(capacity: bytes.count - position + more.count)
      both.append(Bytes(bytes[position...]))
      both.append(more)
      bytes = both.takeBytes()
    }
    position = 0
  }

  /// Whether a command has begun, and hasn't come completely.
  var isInCommand: Bool { missingArguments > 0 || position < bytes.count }
  /// How much of what a command may have has been used.
  var heldCount: Int { missingArguments > 0 ? maxValue - room : 0 }

  /// Forgets the command that was found last, and the bytes before the next one.
  mutating func rest() {
    if position == bytes.count {
      bytes = Bytes()
      position = 0
    }
    if missingArguments == 0 { forget(keepingCapacity: arguments.capacity <= Self.keptArguments) }
  }

  /// Forgets the command that was found last.
  private mutating func forget(keepingCapacity keepsCapacity: Bool) {
    if !arguments.isEmpty { arguments.removeAll(keepingCapacity: keepsCapacity) }
    if !largeArgument.isEmpty { largeArgument = [] }
    copied = 0
  }

  /// Finds the next command.
  ///
  /// - Returns: Whether there is one, in `arguments`; false if it hasn't come completely.
  mutating func next() throws(ProtocolError) -> Bool {
    while position < bytes.count {
      if missingArguments == 0 {
        forget(keepingCapacity: true)
        guard bytes[position] == UInt8(ascii: "*") else {
          guard try takeWords() else { return false }
          if arguments.isEmpty { continue }
          return true
        }
        guard let count = try takeNumber(UInt8(ascii: "*")) else { break }
        if count > Self.maxArguments { throw Self.complaint(UInt8(ascii: "*")) }
        missingArguments = count
        room = maxValue
        continue
      }
      if part == nil {
        try takeArguments()
        if missingArguments == 0 { return true }
      }
      if try !takePart() { break }
      missingArguments -= 1
      if missingArguments == 0 { return true }
    }
    // A client that stops in the middle of a command must not keep the memory that many clients share.
    while missingArguments > 0, copied < arguments.count {
      arguments[copied] = arguments[copied].copy()
      copied += 1
    }
    return false
  }

  /// Takes the arguments that have come completely, as most have.
  private mutating func takeArguments() throws(ProtocolError) {
    let mark = UInt8(ascii: "$")
    while missingArguments > 0, position < bytes.count,
      let (count, start) = try Self.number(bytes, position, mark)
    {
      let end = start + count
      if end + 2 > bytes.count { return }
      room -= count + Self.argumentCost
      if room < 0 { throw Self.complaint(mark) }
      arguments.append(Bytes(bytes[start..<end]))
      position = end
      try takeLineEnd()
      missingArguments -= 1
    }
  }

  /// Takes what has come of an argument. Returns whether that is all of it.
  private mutating func takePart() throws(ProtocolError) -> Bool {
    if part == nil {
      if position == bytes.count { return false }
      guard let count = try takeNumber(UInt8(ascii: "$")) else { return false }
      room -= count + Self.argumentCost
      if room < 0 { throw Self.complaint(UInt8(ascii: "$")) }
      isLarge = missingArguments == 1 && count >= Self.large
      // Memory that nothing is written to takes none of the machine's, so this may trust the client.
      part = BytesBuilder(capacity: isLarge ? 0 : count)
      missingBytes = count
    }
    let count = min(missingBytes, bytes.count - position)
    let piece = Bytes(bytes[position..<position + count])
    if !isLarge || count < Answers.largeCount { part!.append(piece) }
    if isLarge { addLarge(piece, isShort: count < Answers.largeCount) }
    position += count
    missingBytes -= count
    guard missingBytes == 0, bytes.count - position >= 2 else { return false }
    arguments.append(part!.takeBytes())
    part = nil
    try takeLineEnd()
    return true
  }

  /// Keeps a piece of a large argument. Short ones, which `part` has, are put together: a client that sends a
  /// byte at a time would otherwise have a piece of memory for each.
  private mutating func addLarge(_ piece: Bytes, isShort: Bool) {
    let isComplete = piece.count == missingBytes
    if !part!.isEmpty, !isShort || isComplete || part!.count >= Self.large / 2 {
      largeArgument.append(part!.takeBytes())
    }
    if !isShort { largeArgument.append(piece) }
  }

  /// Takes a line such as `$3`: the number after a mark, or nil if the line hasn't come completely.
  private mutating func takeNumber(_ mark: UInt8) throws(ProtocolError) -> Int? {
    guard let (number, end) = try Self.number(bytes, position, mark) else { return nil }
    position = end
    return number
  }

  /// Reads such a line. The bytes are a parameter, and looked at through a span, because a server does little
  /// else as often.
  private static func number(
    _ bytes: Bytes, _ start: Int, _ mark: UInt8
  ) throws(ProtocolError) -> (number: Int, end: Int)? {
    let span = bytes.span
    guard span[start] == mark else { throw ProtocolError(message: "expected '\(UnicodeScalar(mark))'") }
    var index = start + 1
    var number = 0
    while index < span.count, span[index] != UInt8(ascii: "\r") {
      let digit = Int(span[index]) - 0x30
      guard 0...9 ~= digit, index - start <= maxDigits else { throw complaint(mark) }
      number = number * 10 + digit
      index += 1
    }
    guard index + 1 < span.count else { return nil }
    if index == start + 1 { throw complaint(mark) }
    guard span[index + 1] == UInt8(ascii: "\n") else {
      throw ProtocolError(message: "expected the end of a line")
    }
    return (number, index + 2)
  }

  /// The error of a number that makes no sense.
  private static func complaint(_ mark: UInt8) -> ProtocolError {
    ProtocolError(message: mark == UInt8(ascii: "*") ? "invalid multibulk length" : "invalid bulk length")
  }

  private mutating func takeLineEnd() throws(ProtocolError) {
    guard bytes[position] == UInt8(ascii: "\r"), bytes[position + 1] == UInt8(ascii: "\n") else {
      throw ProtocolError(message: "expected the end of a line")
    }
    position += 2
  }

  /// Takes a line of words, as a person types it.
  private mutating func takeWords() throws(ProtocolError) -> Bool {
    let rest = Bytes(bytes[position...])
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
      if rest.count > Self.maxLine { throw ProtocolError(message: "too big inline request") }
      return false
    }
    let words = rest[..<end].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
    arguments = words.map { Bytes($0) }
    position += end + 1
    return true
  }
}
