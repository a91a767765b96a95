import Testing
import UV
import UVTestSupport

@Suite(.serialized) struct IdleTests {
  /// The size of libuv's `uv_tcp_t`.
  private static let ofLibuv = 248

  private static let count = 10_000

  @Test(
    "Ten thousand idle connections take at most 4 KiB each beside libuv's own",
    .enabled(if: DescriptorLimit.raise(to: count + 500) >= count + 500, "too few descriptors"))
  func idleConnections() async throws {
    let count = Self.count
    let (callbacks, tasks) = try await withLoop { loop in
      let callbacks = try await Self.measure(loop, count) { connection in connection.start { _ in } }
      let tasks = try await Self.measure(loop, count) { connection in
        loop.spawn { _ = try? await connection.next().value }
      }
      return (callbacks, tasks)
    }
    guard let callbacks, let tasks else { return }
    print(
      "idle connections: \(count), bytes each beside libuv's \(Self.ofLibuv):",
      "callbacks \(callbacks - Self.ofLibuv), tasks \(tasks - Self.ofLibuv)")
    #expect(callbacks - Self.ofLibuv <= 4096)
    #expect(tasks - Self.ofLibuv <= 4096)
  }

  /// Bytes of the heap for each of `count` accepted connections, on which `serve` waits; nil if that is not
  /// known.
  private static func measure(
    _ loop: EventLoop, _ count: Int, _ serve: @escaping (TCPConnection) -> Void
  ) async throws -> Int? {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let clients = try ClientProcess(port: listener.localAddress().port)
    var servers: [TCPConnection] = []
    servers.reserveCapacity(count)
    let before = Hooks.heapInUse
    while servers.count < count {
      // As many at a time as the system keeps waiting.
      let batch = min(200, count - servers.count)
      clients.connect(batch)
      for _ in 0..<batch {
        let connection = try await listener.accept().value
        servers.append(connection)
        serve(connection)
      }
    }
    for _ in 0..<3 { try await loop.sleep(for: .zero).value }
    let bytes = before.flatMap { before in Hooks.heapInUse.map { ($0 - before) / count } }
    for connection in servers { connection.close() }
    listener.close()
    while loop.statistics.handles > 0 || loop.statistics.tasks > 1 { try await loop.sleep(for: .zero).value }
    clients.end()
    return bytes
  }
}
