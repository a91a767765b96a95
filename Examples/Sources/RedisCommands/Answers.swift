import UV

/// Answers that leave together. Small ones are put together in one piece of memory. A large value is a piece of its own,
/// and is never copied.
public struct Answers: Sendable {
  static let largeCount = 16 * 1024
  /// How much memory a client keeps between two answers.
  static let keptCapacity = 64 * 1024

  private var pieces: [Bytes] = []
  private var last = BytesBuilder()

  /// A short text that says how a command went.
  public mutating func status(_ text: String) { line("+", text) }

  /// An error: its kind in capitals, and a text.
  public mutating func error(_ text: String) { line("-", text) }

  /// A number.
  public mutating func integer(_ number: Int) { line(":", number) }

  /// The beginning of an array; its elements follow.
  public mutating func array(_ count: Int) { line("*", count) }

  /// A value, or that there is none.
  public mutating func bulk(_ value: Bytes?) {
    guard let value else { return last.append("$-1\r\n" as Bytes) }
    line("$", value.count)
    if value.count < Self.largeCount {
      last.append(value)
    } else {
      pieces.append(last.takeBytes())
      pieces.append(value)
    }
    last.append("\r\n" as Bytes)
  }

  /// A value that is in pieces.
  mutating func bulk(_ value: [Bytes]) {
    line("$", value.reduce(0) { $0 + $1.count })
    pieces.append(last.takeBytes())
    pieces += value
    last.append("\r\n" as Bytes)
  }

  private mutating func line(_ mark: Bytes, _ number: Int) {
    last.append(mark)
    last.append(decimal: number)
    last.append("\r\n" as Bytes)
  }

  private mutating func line(_ mark: Bytes, _ text: String) {
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

  mutating func removeAll() {
    pieces.removeAll()
    last.removeAll(keepingCapacity: last.capacity <= Self.keptCapacity)
  }
}
