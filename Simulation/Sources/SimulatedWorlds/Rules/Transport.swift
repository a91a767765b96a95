import UV
import UVSimulation
import UVTLS

/// What a world's bytes travel on.
enum Transport: String, CaseIterable, Sendable {
  case tcp, tls, unix

  /// Adds a server and its clients: on hosts of their own, or on one if the transport reaches no further.
  func build(
    _ world: World, clients: Int,
    serve handle:
      nonisolated(nonsending) @escaping @Sendable (EventLoop, ByteStream, Int) async throws -> Void,
    client: nonisolated(nonsending) @escaping @Sendable (EventLoop, Int) async throws -> Void
  ) {
    let isOneHost = self == .unix
    world.node("server") { loop in
      var tasks: [LoopTask<Void, any Error>] = []
      if isOneHost {
        for number in 0..<clients {
          tasks.append(loop.spawn { () async throws in try await client(loop, number) })
        }
      }
      try await serve(loop, clients) { try await handle(loop, $0, $1) }
      for task in tasks { try await task.value }
    }
    if isOneHost { return }
    for number in 0..<clients {
      world.node("client \(number)") { loop in try await client(loop, number) }
    }
  }

  /// Accepts a number of connections, handles each in a task of its own, and waits until all have ended.
  nonisolated(nonsending) func serve(
    _ loop: EventLoop, _ count: Int,
    _ handle: nonisolated(nonsending) @escaping (ByteStream, Int) async throws -> Void
  ) async throws {
    switch self {
    case .tcp: try await accept(count, from: loop.tcp.listen(port: 7), handle)
    case .unix: try await accept(count, from: loop.pipes.listen(path: "/tmp/socket"), handle)
    case .tls:
      let listener = try loop.tls.listen(
        port: 7, Certificates.server(loop), handshakeTimeout: .seconds(3600))
      try await accept(count, from: listener, handle)
      listener.close()
    }
  }

  private nonisolated(nonsending) func accept<Source: EventSource>(
    _ count: Int, from source: Source,
    _ handle: nonisolated(nonsending) @escaping (ByteStream, Int) async throws -> Void
  ) async throws where Source.Element: ByteStream {
    let loop = source.loop
    var tasks: [LoopTask<Void, any Error>] = []
    for number in 0..<count {
      guard let connection = try await source.next().value else { throw Violation("the listener has ended") }
      tasks.append(loop.spawn { () async throws in try await handle(connection, number) })
    }
    (source as? Handle)?.close()
    for task in tasks { try await task.value }
  }

  /// Connects to the server of ``serve(_:_:_:)``. A connection that is refused, because nobody listens yet,
  /// is tried again.
  nonisolated(nonsending) func connect(_ loop: EventLoop) async throws(UVError) -> ByteStream {
    for _ in 0..<100 {
      do throws(UVError) {
        switch self {
        case .tcp: return try await loop.tcp.connect(host: "server", port: 7).value
        case .unix: return try await loop.pipes.connect(path: "/tmp/socket").value
        case .tls:
          return try await loop.tls.connect(
            host: "server", port: 7, Certificates.client(loop), handshakeTimeout: .seconds(3600)
          ).value
        }
      } catch {
        guard error.code == .connectionRefused || error.code == .noSuchFile else { throw error }
      }
      try await loop.sleep(for: .milliseconds(50)).value
    }
    throw UVError(.connectionRefused, operation: "connect")
  }
}
