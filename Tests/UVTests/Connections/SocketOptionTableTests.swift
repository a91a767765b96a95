import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// Options of TCP sockets, as the system has them afterwards.
@Suite(.onTheMachine("options of sockets")) struct SocketOptionTableTests {
  private static func option(_ handle: Handle, _ level: Int, _ name: Int32) throws -> Int32 {
    var (value, size) = (Int32(-1), socklen_t(4))
    try #require(getsockopt(handle.fileDescriptor(), Int32(level), name, &value, &size) == 0)
    return value
  }

  private static let tcp = Int(IPPROTO_TCP)

  @Test("Small writes leave at once or not, at each of both ends") func noDelay() async throws {
    try await withPair { _, client, server in
      for stream in [client, server] {
        #expect(try Self.option(stream, Self.tcp, TCP_NODELAY) != 0)
        try stream.setNoDelay(false)
        #expect(try Self.option(stream, Self.tcp, TCP_NODELAY) == 0)
        try stream.setNoDelay()
        #expect(try Self.option(stream, Self.tcp, TCP_NODELAY) != 0)
        try stream.setNoDelay(false)
      }
      #expect(try Self.option(server, Self.tcp, TCP_NODELAY) == 0)
    }
  }

  #if os(Linux)
  @Test("A connection is probed after whole seconds, or not") func keepAlive() async throws {
    try await withPair { _, client, _ in
      #expect(try Self.option(client, Int(SOL_SOCKET), SO_KEEPALIVE) == 0)
      for (idle, seconds) in [
        (Duration.seconds(1), 1), (.milliseconds(1999), 1), (.seconds(60), 60), (.milliseconds(7900), 7),
        (.seconds(32_767), 32_767),
      ] {
        try client.setKeepAlive(idle)
        #expect(try Self.option(client, Int(SOL_SOCKET), SO_KEEPALIVE) == 1)
        #expect(try Self.option(client, Self.tcp, TCP_KEEPIDLE) == seconds, "\(idle)")
      }
      for idle in [Duration.milliseconds(999), .zero, .seconds(-1), .seconds(1 << 31), .seconds(Int64.max)] {
        #expect(throws: UVError.self, "\(idle)") { try client.setKeepAlive(idle) }
        #expect(try Self.option(client, Self.tcp, TCP_KEEPIDLE) == 32_767)
      }
      try client.setKeepAlive(nil)
      #expect(try Self.option(client, Int(SOL_SOCKET), SO_KEEPALIVE) == 0)
      client.close()
      #expect(throws: UVError(.badDescriptor, operation: "tcp_keepalive")) { try client.setKeepAlive(nil) }
    }
  }

  @Test("Acknowledgements have a limit of whole milliseconds, or the system's") func userTimeout()
    async throws
  {
    try await withPair { _, client, _ in
      for (limit, milliseconds) in [
        (Duration.milliseconds(1), 1), (.seconds(2), 2000), (.milliseconds(Int64(Int32.max)), Int32.max),
        (nil, 0),
        (.microseconds(1500), 1),
      ] as [(Duration?, Int32)] {
        try client.setUserTimeout(limit)
        // A part of a millisecond is cut off or rounded up.
        let value = try Self.option(client, Self.tcp, TCP_USER_TIMEOUT)
        #expect(value == milliseconds || limit == .microseconds(1500) && value == 2, "\(limit as Any)")
      }
      for limit in [
        Duration.zero, .microseconds(999), .milliseconds(-1), .milliseconds(Int64(Int32.max) + 1),
      ] {
        #expect(throws: UVError.self, "\(limit)") { try client.setUserTimeout(limit) }
      }
    }
  }
  #endif

  @Test(
    "A listener's queue has the length that was asked for, and no other",
    arguments: [0, -1, Int.min, Int(Int32.max) + 1])
  func backlog(count: Int) async throws {
    try await withLoopAndDirectory { loop, directory in
      #expect(throws: UVError.self) { try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: count) }
      #expect(throws: UVError.self) { try loop.pipes.listen(path: "\(directory)/a", backlog: count) }
      // Nothing is left of it.
      #expect(!FileManager.default.fileExists(atPath: "\(directory)/a"))
      try loop.pipes.listen(path: "\(directory)/a", backlog: 1).close()
    }
  }

  @Test("Buffers of the system have the sizes that were asked for, at least, and each its own") func buffers()
    async throws
  {
    try await withPair { _, client, server in
      let receive = try client.receiveBufferSize()
      try client.setSendBufferSize(70_000)
      #expect(try client.sendBufferSize() >= 70_000 && client.sendBufferSize() <= 140_000)
      #expect(try client.receiveBufferSize() == receive)
      let send = try client.sendBufferSize()
      try client.setReceiveBufferSize(40_000)
      #expect(try client.receiveBufferSize() >= 40_000 && client.receiveBufferSize() <= 80_000)
      #expect(try client.sendBufferSize() == send)
      for size in [0, -1, Int(Int32.max) + 1] {
        #expect(throws: UVError.self) { try client.setSendBufferSize(size) }
        #expect(throws: UVError.self) { try client.setReceiveBufferSize(size) }
      }
      #expect(try client.sendBufferSize() == send)
    }
  }
}
