import Testing
import UV

/// Expects that writes without bytes, in each style, end after the write before them, and not at once.
///
/// - Parameters:
///   - writer: One end of a connection on which nothing has been written.
///   - reader: The other end.
public nonisolated(nonsending) func expectOrderOfEmptyWrites(_ writer: ByteStream, _ reader: ByteStream)
  async throws
{
  let (loop, count) = (writer.loop, 32 << 20)
  let log = Log<String>()
  writer.write(Bytes(repeating: 7, count: count)) { if case .success = $0 { log.append("all") } }
  writer.write(Bytes()) { if case .success = $0 { log.append("empty") } }
  writer.write([]) { if case .success = $0 { log.append("no buffers") } }
  writer.write([Bytes(), Bytes()]) { if case .success = $0 { log.append("two") } }
  let task = loop.spawn { () async throws(UVError) in
    try await writer.write(Bytes()).value
    log.append("task")
    try await writer.write([]).value
  }
  for _ in 0..<10 { try await loop.sleep(for: .zero).value }
  #expect(log.values == [], "the reader hasn't read")
  #expect(try await reader.read(exactly: count).value?.count == count)
  try await task.value
  try await writer.drain().value
  #expect(log.values == ["all", "empty", "no buffers", "two", "task"])
  // Nothing is before it, and it doesn't wait for the peer.
  writer.write(Bytes()) { if case .success = $0 { log.append("last") } }
  for _ in 0..<2 { try await loop.sleep(for: .zero).value }
  #expect(log.values.last == "last")
}
