import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct StreamOptionTests {
  @Test func buffersOfTheSystem() async throws {
    try await withPair { loop, client, server in
      for handle in [client, server] {
        try handle.setSendBufferSize(30_000)
        try handle.setReceiveBufferSize(20_000)
        #expect(try handle.sendBufferSize() >= 30_000)
        #expect(try handle.receiveBufferSize() >= 20_000)
      }
      let pipes = try loop.pipes.socketPair()
      try pipes.0.setSendBufferSize(10_000)
      #expect(try pipes.0.sendBufferSize() >= 10_000)
      pipes.0.close()
      pipes.1.close()
      try await client.close().value
      await expectError(.badDescriptor, of: try client.receiveBufferSize())
    }
  }

  @Test func whetherTheSystemWaits() async throws {
    try await withLoop { loop in
      let (reading, writing) = try loop.pipes.pair()
      let descriptor = try writing.fileDescriptor()
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
      try writing.setBlocking(true)
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
      try await writing.write("taken whole").value
      #expect(try await reading.next().value == "taken whole")
      try writing.setBlocking(false)
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
      reading.close()
      writing.close()
      await expectError(.badDescriptor, of: try writing.setBlocking(true))
    }
  }

  @Test func connectionsAreAcceptedOneAfterTheOther() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      try listener.setSimultaneousAccepts(false)
      var clients: [TCPConnection] = []
      for _ in 0..<3 { clients.append(try await loop.tcp.connect(to: listener.localAddress()).value) }
      for client in clients {
        let server = try await listener.accept().value
        #expect(try server.peerAddress() == client.localAddress())
        server.close()
        client.close()
      }
      try listener.setSimultaneousAccepts(true)
      listener.close()
      await expectError(.badDescriptor, of: try listener.setSimultaneousAccepts(true))
    }
  }

  @Test(.rule(44)) func `A handle keeps its loop running, or not`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      loop.runCallbacks { loop in
        do throws(UVError) {
          let listener = try loop.pipes.listen(path: "/tmp/swift-uv-\(getpid())-ref")
          let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
          let (reading, writing) = try loop.pipes.pair()
          let watcher = try loop.poll(writing.fileDescriptor(), for: .prioritized)
          listener.start { _ in }
          socket.start { _ in }
          reading.start { _ in }
          watcher.start { _ in }
          for handle in [listener, socket, reading, watcher] as [Handle] {
            #expect(handle.keepsLoopRunning && handle.isActive)
            handle.keepsLoopRunning = false
            #expect(!handle.keepsLoopRunning)
          }
          _ = writing
        } catch {
          Issue.record(error)
        }
        loop.queueMicrotask { log.append("ran") }
      }
      // It has returned, with all of them at work.
      #expect(loop.statistics.handles >= 4)
      loop.shutdown()
    }
    #expect(log.values == ["ran"])
  }
}
