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
  /// From how many bytes on the last argument is kept as it comes.
  static let large = 128 * 1024
  /// How long a line of words may be, and a number.
  static let maxLine = 4096
  static let maxDigits = 10

  /// The words of the command that was found last, and the bytes that have come.
  private(set) var arguments = Arguments()
  /// The last argument in the pieces in which it came, if it is large; it is empty in `arguments` then. To
  /// put a megabyte together would take more time than everything else that is done with it.
  private(set) var largeArgument: [Bytes] = []

  private let maxValue: Int
  /// How many bytes the rest of the command may have.
  private var room = 0
  /// How many of the bytes that have come belong to commands that have been read.
  private var position = 0
  /// How many arguments the command lacks; 0 between two commands.
  private var missingArguments = 0
  /// An argument of which only a part has come, and how many bytes it lacks.
  private var part: BytesBuilder?
  private var isLarge = false
  private var missingBytes = 0

  init(maxValue: Int) { self.maxValue = maxValue }

  /// The bytes that have come.
  private var bytes: Bytes { arguments.bytes }

  /// Adds bytes that have come, after everything before has been understood as far as possible.
  mutating func append(_ more: Bytes) {
    if position == bytes.count {
      arguments.read(more)
    } else {
      // The beginning of a line is left, which is short.
      var both = BytesBuilder(capacity: bytes.count - position + more.count)
      both.append(Bytes(bytes[position...]))
      both.append(more)
      arguments.read(both.takeBytes())
    }
    position = 0
  }

  /// Whether a command has begun, and hasn't come completely.
  var isInCommand: Bool { missingArguments > 0 || position < bytes.count }
  /// How much of what a command may have has been used.
  var heldCount: Int { missingArguments > 0 ? maxValue - room : 0 }

  /// Forgets the command that was found last, and the bytes before the next one.
  mutating func rest() {
    if missingArguments == 0 { forget() }
    if position == bytes.count {
      arguments.letGo()
      position = 0
    }
  }

  /// Forgets the command that was found last.
  @inline(__always)
  private mutating func forget() {
    arguments.removeAll()
    if !largeArgument.isEmpty { largeArgument = [] }
  }

  /// Finds the next command.
  ///
  /// - Returns: Whether there is one, in `arguments`; false if it hasn't come completely.
  mutating func next() throws(ProtocolError) -> Bool {
    while position < bytes.count {
      if missingArguments == 0 {
        forget()
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
    if missingArguments > 0 { arguments.copyOut() }
    return false
  }

  /// Takes the arguments that have come completely, as most have.
  private mutating func takeArguments() throws(ProtocolError) {
    let mark = UInt8(ascii: "$")
    while missingArguments > 0, position < bytes.count,
      let (count, start) = try Self.number(arguments.bytes.span, position, mark)
    {
      let end = start + count
      if end + 2 > bytes.count { return }
      room -= count + Self.argumentCost
      if room < 0 { throw Self.complaint(mark) }
      arguments.append(start..<end)
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
    guard let (number, end) = try Self.number(arguments.bytes.span, position, mark) else { return nil }
    position = end
    return number
  }

  /// Reads such a line, of which a server reads several for each command.
  private static func number(
    _ bytes: Span<UInt8>, _ start: Int, _ mark: UInt8
  ) throws(ProtocolError) -> (number: Int, end: Int)? {
    guard bytes[start] == mark else { throw missing(mark) }
    let first = start + 1
    var index = first
    var number = 0
    // A number that wraps has too many digits.
    while index < bytes.count, bytes[index] != UInt8(ascii: "\r") {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { throw complaint(mark) }
      number = number &* 10 &+ Int(digit)
      index += 1
    }
    if index - first > maxDigits { throw complaint(mark) }
    guard index + 1 < bytes.count else { return nil }
    if index == first { throw complaint(mark) }
    guard bytes[index + 1] == UInt8(ascii: "\n") else { throw noLineEnd }
    return (number, index + 2)
  }

  // The errors stand apart: making one takes more code than reading a line.

  /// The error of a number that makes no sense.
  @inline(never)
  private static func complaint(_ mark: UInt8) -> ProtocolError {
    ProtocolError(message: mark == UInt8(ascii: "*") ? "invalid multibulk length" : "invalid bulk length")
  }

  /// The error of a line that begins with something else.
  @inline(never)
  private static func missing(_ mark: UInt8) -> ProtocolError {
    ProtocolError(message: "expected '\(UnicodeScalar(mark))'")
  }

  /// The error of a line, or an argument, that goes on where it should end.
  private static var noLineEnd: ProtocolError {
    @inline(never) get { ProtocolError(message: "expected the end of a line") }
  }

  private mutating func takeLineEnd() throws(ProtocolError) {
    guard bytes[position] == UInt8(ascii: "\r"), bytes[position + 1] == UInt8(ascii: "\n") else {
      throw Self.noLineEnd
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
    for word in words {
      arguments.append(position + word.startIndex..<position + word.endIndex)
    }
    position += end + 1
    return true
  }
}
