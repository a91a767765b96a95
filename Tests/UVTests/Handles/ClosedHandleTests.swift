import Testing
import UV
import UVTestSupport

/// What a handle that closes, or has closed, says to each of its functions.
@Suite struct ClosedHandleTests {
  /// A function that needs an open handle.
  private typealias Call = (name: String, make: () throws(UVError) -> Void)

  private func calls(of socket: UDPSocket) -> [Call] {
    let address = try! SocketAddress("127.0.0.1", port: 9)
    return [
      ("connect", { () throws(UVError) in try socket.connect(to: address) }),
      ("disconnect", { () throws(UVError) in try socket.disconnect() }),
      ("localAddress", { () throws(UVError) in _ = try socket.localAddress() }),
      ("peerAddress", { () throws(UVError) in _ = try socket.peerAddress() }),
      ("setBroadcast", { () throws(UVError) in try socket.setBroadcast(true) }),
      ("setTTL", { () throws(UVError) in try socket.setTTL(9) }),
      ("join", { () throws(UVError) in try socket.join(group: "239.1.2.3") }),
      ("leave", { () throws(UVError) in try socket.leave(group: "239.1.2.3") }),
      ("setMulticastLoop", { () throws(UVError) in try socket.setMulticastLoop(true) }),
      ("setMulticastTTL", { () throws(UVError) in try socket.setMulticastTTL(9) }),
      ("setMulticastInterface", { () throws(UVError) in try socket.setMulticastInterface("127.0.0.1") }),
      ("trySend", { () throws(UVError) in _ = try socket.trySend("x", to: address) }),
      ("fileDescriptor", { () throws(UVError) in _ = try socket.fileDescriptor() }),
      ("sendBufferSize", { () throws(UVError) in _ = try socket.sendBufferSize() }),
      ("setSendBufferSize", { () throws(UVError) in try socket.setSendBufferSize(9999) }),
      ("receiveBufferSize", { () throws(UVError) in _ = try socket.receiveBufferSize() }),
      ("setReceiveBufferSize", { () throws(UVError) in try socket.setReceiveBufferSize(9999) }),
    ]
  }

  private func calls(of stream: TCPConnection) -> [Call] {
    [
      ("localAddress", { () throws(UVError) in _ = try stream.localAddress() }),
      ("peerAddress", { () throws(UVError) in _ = try stream.peerAddress() }),
      ("setNoDelay", { () throws(UVError) in try stream.setNoDelay() }),
      ("setKeepAlive", { () throws(UVError) in try stream.setKeepAlive(.seconds(9)) }),
      ("tryWrite", { () throws(UVError) in _ = try stream.tryWrite("x") }),
      ("fileDescriptor", { () throws(UVError) in _ = try stream.fileDescriptor() }),
      ("setSendBufferSize", { () throws(UVError) in try stream.setSendBufferSize(9999) }),
      ("setReceiveBufferSize", { () throws(UVError) in try stream.setReceiveBufferSize(9999) }),
    ]
  }

  private func expectRefusals(_ calls: [Call], _ when: String) {
    for call in calls {
      do throws(UVError) {
        try call.make()
        Issue.record("\(call.name) \(when) is not refused")
      } catch { #expect(error.code == .badDescriptor, "\(call.name) \(when): \(error)") }
    }
  }

  @Test(arguments: [false, true])
  func `Each function of a handle that closes fails`(hasClosed: Bool) async throws {
    try await withLoop { loop in
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let stream = try await loop.tcp.connect(to: listener.localAddress()).value
      socket.close()
      stream.close()
      listener.close()
      if hasClosed { try await loop.until { loop.statistics.handles == 0 } }
      let when = hasClosed ? "after its end" : "while it closes"
      expectRefusals(calls(of: socket), when)
      expectRefusals(calls(of: stream), when)
    }
  }

  @Test func `Each function of a handle whose loop has ended says that`() async throws {
    try await withThread {
      let loop = try EventLoop()
      let (socket, stream) = try loop.run { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let stream = try await loop.tcp.connect(to: listener.localAddress()).value
        listener.close()
        return (Box(try loop.udp.bind(host: "127.0.0.1", port: 0)), Box(stream))
      }
      loop.shutdown()
      for call in self.calls(of: socket.value!) + self.calls(of: stream.value!) {
        do throws(UVError) {
          try call.make()
          Issue.record("\(call.name) is not refused")
        } catch { #expect(error.code == .loopClosed, "\(call.name): \(error)") }
      }
    }
  }

  @Test func `The size of a buffer is the one that was asked for`() async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let sockets: [Handle] = [near, try loop.udp.bind(host: "127.0.0.1", port: 0)]
      func check(_ size: Int, _ read: Int) { #expect([size, 2 * size].contains(read), "\(size): \(read)") }
      for size in [20_000, 50_000] {
        try near.setSendBufferSize(size)
        check(size, try near.sendBufferSize())
        try near.setReceiveBufferSize(size + 4000)
        check(size + 4000, try near.receiveBufferSize())
      }
      for socket in sockets + [far] { socket.close() }
    }
  }
}
