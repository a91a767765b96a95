import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// What the system says of peers, and the limits that it sets them.
@Suite struct PeerTests {
  private nonisolated(nonsending) func withConnection(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        EventLoop, _ client: TCPConnection, _ server: TCPConnection
      ) async throws
      -> Void
  ) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      try await body(loop, client, server)
      client.close()
      server.close()
      listener.close()
    }
  }

  @Test func `Both ends of a Unix socket know each other's process, user and group`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: directory + "/socket")
      let client = try await loop.pipes.connect(path: directory + "/socket").value
      let server = try await listener.accept().value
      let this = try client.peerCredentials()
      #expect(this.processID == SystemInfo.processID && this.userID == getuid() && this.groupID == getgid())
      #expect(try server.peerCredentials() == this)
      try await client.close().value
      await expectError(.badDescriptor, of: try client.peerCredentials())
      // It is the process that connected, whether or not it is still there.
      #expect(try server.peerCredentials() == this)
      server.close()
      listener.close()
    }
  }

  @Test(.onTheMachine("other programs")) func `The peer of a Unix socket is another process`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let listener = try loop.pipes.listen(path: path)
      let script = "import socket,sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.recv(1)"
      let child = try loop.processes.spawn("python3", ["-c", script, path])
      let server = try await listener.accept().value
      #expect(try server.peerCredentials().processID == child.processID)
      server.close()
      listener.close()
      _ = try await child.exit().value
    }
  }

  @Test func `A pipe that is no socket has no peer`() async throws {
    try await withLoop { loop in
      let (reader, writer) = try descriptors()
      let pipe = try loop.pipes.open(fileDescriptor: reader)
      await expectError(.notSocket, of: try pipe.peerCredentials())
      pipe.close()
      _ = close(writer)
    }
  }

  private func descriptors() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(Foundation.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `The system measures the way to a TCP peer, and a snapshot has it`() async throws {
    try await withConnection { loop, client, server in
      for _ in 0..<10 {
        try await client.write("hello").value
        _ = try await server.next().value
      }
      let information = try client.tcpInformation()
      #expect(information.roundTripTime >= .zero && information.roundTripTime < .seconds(10))
      #expect(information.roundTripVariation >= .zero && information.retransmissionCount >= 0)
      // At least one packet may be on its way.
      #expect(information.congestionWindow > 500)
      let snapshots = loop.snapshot().handles.entries.filter { $0.type == .tcp }
      #expect(snapshots.count == 3)
      for snapshot in snapshots {
        #expect((snapshot.roundTripMicroseconds == nil) == snapshot.isListener)
        #expect((snapshot.retransmissionCount == nil) == snapshot.isListener)
      }
      try await client.close().value
      await expectError(.badDescriptor, of: try client.tcpInformation())
    }
  }

  @Test("A limit for acknowledgements has a range, and may be taken back", .onTheMachine("TCP_USER_TIMEOUT"))
  func userTimeout() async throws {
    try await withConnection { _, client, _ in
      func option() throws -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        #expect(
          getsockopt(try client.fileDescriptor(), Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &length) == 0)
        return value
      }
      try client.setUserTimeout(.milliseconds(1500))
      #expect(try option() == 1500)
      try client.setUserTimeout(nil)
      #expect(try option() == 0)
      for limit in [Duration.zero, .microseconds(999), .seconds(-1), .seconds(2_147_484)] {
        await expectError(.invalidArgument, of: try client.setUserTimeout(limit))
      }
      try await client.close().value
      await expectError(.badDescriptor, of: try client.setUserTimeout(.seconds(1)))
    }
  }

  @Test(.onTheMachine("TCP_FASTOPEN")) func `A listener takes early bytes or not`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      try listener.setFastOpen(16)
      try listener.setFastOpen(0)
      await expectError(.invalidArgument, of: try listener.setFastOpen(-1))
      try await listener.close().value
      await expectError(.badDescriptor, of: try listener.setFastOpen(1))
    }
  }
}
