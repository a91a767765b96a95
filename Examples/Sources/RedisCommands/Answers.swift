import UV

/// Answers that leave together. Small ones are put together in one piece of memory. A large value is a piece
/// of its own, and is never copied.
///
/// An answer of many elements isn't made at once: a command of some bytes can ask for gigabytes. A portion is
/// made, and the next one when that has left.
public struct Answers: Sendable {
  static let largeCount = 16 * 1024
  /// How much memory a client keeps between two answers.
  static let keptCapacity = 64 * 1024
  /// How many bytes are enough to be written before the next are made.
  static let portion = 64 * 1024

  private var pieces: [Bytes] = []
  private var pieceCount = 0
  private var last = BytesBuilder()
  /// The elements of an array whose beginning has been answered, and how many of them have been, too.
  private var elements: [Bytes?] = []
  private var answered = 0

  /// How many bytes there are to be written.
  public var count: Int { pieceCount + last.count }
  /// Whether elements of an array have still to be answered.
  var isInArray: Bool { !elements.isEmpty }
  /// Whether there is enough to be written, so that nothing more is executed before.
  var isFull: Bool { count >= Self.portion || isInArray }
  /// How much memory is held by what has still to be answered.
  var heldCount: Int { elements.count * MemoryLayout<Bytes?>.stride }

  /// A command went well. Of all answers without a value this is by far the most frequent.
  public mutating func ok() { last.append("+OK\r\n" as Bytes) }

  /// A short text that says how a command went.
  public mutating func status(_ text: String) { line(UInt8(ascii: "+"), text) }

  /// An error: its kind in capitals, and a text.
  public mutating func error(_ text: String) { line(UInt8(ascii: "-"), text) }

  /// A number.
  public mutating func integer(_ number: Int) { line(UInt8(ascii: ":"), number) }

  /// The beginning of an array; its elements follow.
  public mutating func array(_ count: Int) { line(UInt8(ascii: "*"), count) }

  /// An array. The elements share the memory of the store's values.
  mutating func array(of elements: [Bytes?]) {
    array(elements.count)
    self.elements = elements
    answered = 0
    addElements()
  }

  /// Goes on with an array for as long as there is room.
  mutating func addElements() {
    while answered < elements.count, count < Self.portion {
      bulk(elements[answered])
      answered += 1
    }
    if answered == elements.count { elements = [] }
  }

  /// Gives up the rest of an array.
  mutating func breakOff() { elements = [] }

  /// A value, or that there is none.
  public mutating func bulk(_ value: Bytes?) {
    guard let value else { return last.append("$-1\r\n" as Bytes) }
    line(UInt8(ascii: "$"), value.count)
    if value.count < Self.largeCount {
      last.append(value)
    } else {
      addPiece(last.takeBytes())
      addPiece(value)
    }
    last.append("\r\n" as Bytes)
  }

  /// A value that is in pieces.
  mutating func bulk(_ value: [Bytes]) {
    line(UInt8(ascii: "$"), value.reduce(0) { $0 + $1.count })
    addPiece(last.takeBytes())
    for piece in value { addPiece(piece) }
    last.append("\r\n" as Bytes)
  }

  private mutating func addPiece(_ piece: Bytes) {
    pieces.append(piece)
    pieceCount += piece.count
  }

  private mutating func line(_ mark: UInt8, _ number: Int) {
    last.append(mark)
    last.append(decimal: number)
    last.append("\r\n" as Bytes)
  }

  private mutating func line(_ mark: UInt8, _ text: String) {
    last.append(mark)
    last.append(text)
    last.append("\r\n" as Bytes)
  }

  /// All of it in one piece.
  public var bytes: Bytes { pieces.isEmpty ? Bytes(last) : Bytes(joining: pieces + [Bytes(last)]) }

  /// Writes everything by one call. To write no pieces at all is no call, and succeeds.
  public func write(to stream: ByteStream) -> Request<Void> {
    if pieces.isEmpty, !last.isEmpty { return stream.write(Bytes(last)) }
    return stream.write(last.isEmpty ? pieces : pieces + [Bytes(last)])
  }

  /// Forgets what has been written.
  mutating func removeAll() {
    if !pieces.isEmpty {
      pieces = []
      pieceCount = 0
    }
    last.removeAll(keepingCapacity: last.capacity <= Self.keptCapacity)
  }
}
