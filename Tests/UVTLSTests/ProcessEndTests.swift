import Synchronization
import Testing
import UVTLS
import UVTestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The end of a process that speaks TLS.
@Suite struct ProcessEndTests {
  /// What the loops of a process do: one handshake after the other.
  private final class Handshakes: Sendable {
    private let server, client: TLSContext
    private let count = Atomic(0)

    init(_ directory: String) throws {
      let identity = try TLSIdentity(
        certificateChain: directory + "/server.pem", privateKey: directory + "/server.key")
      server = try .server(identity)
      client = try .client(trust: .certificates(directory + "/root.pem"))
    }

    var areMany: Bool { count.load(ordering: .relaxed) > 20 }

    func next(_ loop: EventLoop) {
      guard let ends = try? loop.pipes.socketPair() else { return }
      loop.tls.secure(ends.0, server) { result in
        if case .success(let connection) = result { connection.start { _ in connection.close() } }
      }
      loop.tls.secure(ends.1, client, host: "localhost") { [self] result in
        guard case .success(let connection) = result else { return }
        count.add(1, ordering: .relaxed)
        connection.close { [self] _ in next(loop) }
      }
    }
  }

  @Test func `A process may end while loops of other threads speak TLS`() async {
    for _ in 0..<20 {
      await #expect(processExitsWith: .success) { [directory = Certificates.shared.directory as String] in
        let handshakes = try Handshakes(directory)
        let group = try EventLoopGroup(count: 4)
        for executor in group.executors { try executor.execute { handshakes.next($0) } }
        while !handshakes.areMany { await Task.yield() }
        exit(0)
      }
    }
  }
}
