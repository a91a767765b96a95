#if HTTP || Everything
import UV

/// A connection that gathers what is written in a turn of the loop. It leaves when the turn ends.
///
/// Gathered bytes count as congestion only while other bytes wait for the peer. Writes don't leave one by one, because
/// the stream would then gather all but the first of a turn, and the program would wait for the end of the turn
/// although the system has room.
class GatheringWriter: Flushable {
  /// Bytes that are shorter are copied.
  private static let shortBytes = 16384
  /// Longer ones leave together once they are so many, or the turn ends.
  private static let mostTogether = 1 << 20
  /// How much may wait for the peer before the program has to wait, too.
  static let mark = 65536

  final let stream: ByteStream
  /// Short bytes, one after the other.
  @exclusivity(unchecked) final var output = BytesBuilder()
  /// Long bytes and what stands between them, which isn't copied. It leaves before `output`.
  @exclusivity(unchecked) final var longOutput: [Bytes] = []
  @exclusivity(unchecked) private final var willFlush = false
  /// How many writes the system has not taken yet.
  @exclusivity(unchecked) final var writeCount = 0
  /// Called at the end of each write.
  @exclusivity(unchecked) final var didWrite: Completion<Void> = { _ in }
  /// When the peer has to have taken what waits for it.
  @exclusivity(unchecked) final var writeEnd = WriteDeadline()

  init(_ stream: ByteStream) { self.stream = stream }

  final var loop: EventLoop { stream.loop }

  /// Whether nothing can be written any more.
  var isClosed: Bool { false }

  /// So many bytes were written. All or some of them may wait for the peer.
  func noteWrite(_ count: Int) {}

  /// Whether the peer has to take what it gets before the program sends more.
  final var isCongested: Bool {
    let waiting = stream.writeQueueSize
    return waiting > 0 && waiting + longOutput.byteCount + output.count > Self.mark
  }

  /// Whether so many bytes aren't copied.
  static func isLong(_ count: Int) -> Bool { count > shortBytes }

  final func append(_ bytes: Bytes) {
    if !Self.isLong(bytes.count) {
      output.append(bytes)
      return endAppending()
    }
    if longOutput.isEmpty { longOutput.reserveCapacity(2) }
    if !output.isEmpty { longOutput.append(output.takeBytes()) }
    longOutput.append(bytes)
    flushIfMuch()
  }

  /// Bytes were appended to `output`. Those that are copied don't wait for the end of the turn once they are many, so
  /// that they take little memory. Nobody is notified of this write, so the stream doesn't gather those that follow.
  final func endAppending() {
    if output.count <= Self.mark || isClosed { return }
    let bytes = output.takeBytes()
    if !longOutput.isEmpty {
      longOutput.append(bytes)
      return flushIfMuch()
    }
    let taken = stream.offerAtOnce(bytes)
    if taken < bytes.count {
      writeCount += 1
      stream.write(Bytes(bytes[taken...]), didWrite)
      // A filter gathers all that it gets.
      if stream.writeQueueSize > Self.mark { stream.flush() }
    }
    noteWrite(bytes.count)
  }

  private func flushIfMuch() { if longOutput.byteCount >= Self.mostTogether { flush() } }

  final func flushLater() {
    if willFlush || output.isEmpty && longOutput.isEmpty { return }
    willFlush = true
    loop.flushNextTurn(self)
  }

  package final func flush() {
    willFlush = false
    if isClosed { return }
    if !longOutput.isEmpty { return flushLong() }
    if output.isEmpty { return }
    let bytes = output.takeBytes()
    writeCount += 1
    stream.write(bytes, didWrite)
    noteWrite(bytes.count)
  }

  private func flushLong() {
    if !output.isEmpty { longOutput.append(output.takeBytes()) }
    let buffers = longOutput
    longOutput = []
    writeCount += 1
    if buffers.count == 2 {
      stream.write(buffers[0], thenRepeated: buffers[1], didWrite)
    } else {
      stream.write(buffers, didWrite)
    }
    noteWrite(buffers.byteCount)
  }
}
#endif
