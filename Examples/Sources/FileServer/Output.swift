import UV

/// Answers that leave together. Small pieces share one piece of memory. Larger bodies are pieces of their
/// own, and are never copied.
struct Output {
  private static let maxCopied = 4096
  /// How many bytes are gathered before they are written.
  private static let enough = 64 * 1024

  private var pieces: [Bytes] = []
  private var pieceCount = 0
  private var last = BytesBuilder()

  var isEmpty: Bool { pieces.isEmpty && last.isEmpty }

  var count: Int { pieceCount + last.count }

  var isFull: Bool { count >= Self.enough }

  mutating func append(_ bytes: Bytes) {
    if bytes.count <= Self.maxCopied { return last.append(bytes) }
    if !last.isEmpty { pieces.append(last.takeBytes()) }
    pieces.append(bytes)
    pieceCount += bytes.count
  }

  mutating func append(decimal number: Int) { last.append(decimal: number) }

  /// Writes everything by one call.
  func write(to stream: ByteStream) -> Request<Void> {
    pieces.isEmpty ? stream.write(Bytes(last)) : stream.write(last.isEmpty ? pieces : pieces + [Bytes(last)])
  }

  /// Forgets what has been written, and keeps a little memory for the next answer.
  mutating func removeAll() {
    if !pieces.isEmpty {
      pieces = []
      pieceCount = 0
    }
    last.removeAll(keepingCapacity: last.capacity <= Self.maxCopied * 2)
  }
}
