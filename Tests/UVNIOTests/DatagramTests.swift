#if Everything
import Foundation
import NIOCore
import Testing
import UV
import UVNIO
import UVTestSupport

private typealias Envelope = AddressedEnvelope<ByteBuffer>

@Suite(.serialized) struct DatagramTests {
  @Test("A datagram comes with its sender, who gets an answer", arguments: ["127.0.0.1", "::1"])
  func answers(host: String) async throws {
    try await withGroup(2) { group in
      let server = try UVDatagramBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandler(Answer()) }.bind(host: host, port: 0).wait()
      let received = Log<Envelope>()
      let (client, came) = try bind(group, host, received, enough: 3)
      for text in ["one", "", "three"] {
        client.write(
          Envelope(remoteAddress: server.localAddress!, data: ByteBuffer(string: text)), promise: nil)
      }
      client.flush()
      try came.wait()
      #expect(received.values.map { String(buffer: $0.data) } == ["one", "", "three"])
      #expect(received.values.allSatisfy { $0.remoteAddress == server.localAddress })
      #expect(received.values.allSatisfy { $0.metadata == nil })
    }
  }

  @Test("A connected channel needs no address, and refuses another's")
  func connected() async throws {
    try await withGroup { group in
      let received = Log<Envelope>()
      let (server, came) = try bind(group, "127.0.0.1", received, enough: 2)
      let other = try UVDatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).wait()
      let bytes = ByteBuffer(string: "hello")
      #expect(throws: DatagramChannelError.WriteOnUnconnectedSocketWithoutAddress.self) {
        try other.writeAndFlush(bytes).wait()
      }
      let client = try UVDatagramBootstrap(group: group).connect(to: server.localAddress!).wait()
      #expect(client.isActive && client.remoteAddress == server.localAddress)
      try client.writeAndFlush(bytes).wait()
      try client.writeAndFlush(Envelope(remoteAddress: server.localAddress!, data: bytes)).wait()
      #expect(throws: DatagramChannelError.WriteOnConnectedSocketWithInvalidAddress.self) {
        try client.writeAndFlush(Envelope(remoteAddress: other.localAddress!, data: bytes)).wait()
      }
      // What waits is for the peer before.
      let waiting = client.write(bytes)
      try client.connect(to: other.localAddress!).wait()
      #expect(throws: IOError.self) { try waiting.wait() }
      #expect(client.isActive && client.remoteAddress == other.localAddress)
      try came.wait()
      #expect(received.values.map(\.data) == [bytes, bytes])
    }
  }

  @Test("A datagram that is too long fails alone")
  func tooLong() async throws {
    try await withGroup { group in
      let received = Log<Envelope>()
      let (server, came) = try bind(group, "127.0.0.1", received, enough: 2)
      let client = try UVDatagramBootstrap(group: group).connect(to: server.localAddress!).wait()
      let short = ByteBuffer(string: "short")
      let writes = [short, ByteBuffer(repeating: 1, count: 100_000), short].map { client.write($0) }
      client.flush()
      try writes[0].wait()
      try writes[2].wait()
      #expect(throws: ChannelError.writeMessageTooLarge) { try writes[1].wait() }
      try came.wait()
    }
  }

  @Test("A peer that isn't there is reported as an error, and the channel goes on")
  func refused() async throws {
    try await withGroup { group in
      let nobody = try UVDatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).wait()
      let address = nobody.localAddress!
      try nobody.close().wait()
      let failed = group.next().makePromise(of: Void.self)
      let client = try UVDatagramBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandler(Errors(failed)) }.connect(to: address).wait()
      try client.writeAndFlush(ByteBuffer(string: "hello")).wait()
      let error = #expect(throws: IOError.self) { try failed.futureResult.wait() }
      #expect(error?.errnoCode == ECONNREFUSED)
      #expect(client.isActive)
      let received = Log<Envelope>()
      let (server, came) = try bind(group, "127.0.0.1", received)
      try client.connect(to: server.localAddress!).wait()
      try client.writeAndFlush(ByteBuffer(string: "again")).wait()
      try came.wait()
    }
  }

  @Test("More is held than the water mark allows until it is flushed, or fails when the channel closes")
  func waterMark() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let (server, _) = try bind(group, "127.0.0.1", Log<Envelope>())
      let client = try UVDatagramBootstrap(group: group)
        .channelOption(.writeBufferWaterMark, value: .init(low: 100, high: 1000))
        .channelInitializer { $0.pipeline.addHandler(Events(log)) }.connect(to: server.localAddress!).wait()
      let bytes = ByteBuffer(repeating: 1, count: 600)
      _ = client.write(bytes)
      let second = client.write(bytes)
      #expect(try client.getOption(.bufferedWritableBytes).wait() == 1200)
      #expect(!client.isWritable)
      client.flush()
      try second.wait()
      #expect(client.isWritable)
      let lost = client.write(bytes)
      try client.close().wait()
      #expect(throws: ChannelError.ioOnClosedChannel) { try lost.wait() }
    }
    #expect(
      log.values == ["registered", "active", "not writable", "writable", "inactive", "unregistered"])
  }

  @Test("One call may bring several datagrams, and what the system says of each")
  func batches() async throws {
    try await withGroup { group in
      let received = Log<Envelope>()
      let (server, came) = try bind(group, "127.0.0.1", received, enough: 100) {
        $0.channelOption(.datagramVectorReadMessageCount, value: 10)
          .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 20480))
          .channelOption(.explicitCongestionNotification, value: true)
          .channelOption(.receivePacketInfo, value: true)
      }
      #expect(try server.getOption(.datagramVectorReadMessageCount).wait() == 10)
      #expect(try server.getOption(.explicitCongestionNotification).wait())
      #expect(try server.getOption(.receivePacketInfo).wait())
      let client = try UVDatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).wait()
      for number in 0..<100 {
        let envelope = Envelope(
          remoteAddress: server.localAddress!, data: ByteBuffer(integer: number),
          metadata: .init(ecnState: .transportCapableFlag0))
        client.write(envelope, promise: nil)
      }
      client.flush()
      try came.wait()
      #expect(received.values.map { $0.data.getInteger(at: 0) } == (0..<100).map(Optional.some))
      #expect(received.values.allSatisfy { $0.metadata?.ecnState == .transportCapableFlag0 })
      #expect(
        received.values.allSatisfy { $0.metadata?.packetInfo?.destinationAddress.ipAddress == "127.0.0.1" })
    }
  }

  @Test("Datagrams go over Unix sockets; a sender without a name has an empty path")
  func unixSockets() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).dgram").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await withGroup { group in
      let received = Log<Envelope>()
      let came = group.next().makePromise(of: Void.self)
      _ = try UVDatagramBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandler(Received(received, 1, came)) }
        .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
      let client = try UVDatagramBootstrap(group: group).connect(unixDomainSocketPath: path).wait()
      try client.writeAndFlush(ByteBuffer(string: "hello")).wait()
      try came.futureResult.wait()
      #expect(received.values.map { $0.remoteAddress.pathname } == [""])
    }
  }

  @Test(
    "On one loop, a channel and a socket of swift-uv's send each other datagrams; the loop's end closes the channel"
  )
  func oneLoop() async throws {
    let log = Log<String>()
    try await withThread {
      try UV.EventLoop.run { loop in
        let channel = try await UVDatagramBootstrap(group: loop.nio)
          .channelInitializer { $0.pipeline.addHandlers([Events(log), Answer()]) }
          .bind(host: "127.0.0.1", port: 0).get()
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        let peer = try UV.SocketAddress("127.0.0.1", port: channel.localAddress!.port!)
        try await socket.send("hello", to: peer).value
        for try await datagram in socket {
          #expect(String(decoding: datagram.bytes, as: UTF8.self) == "hello")
          break
        }
        loop.stop()
      }
    }
    #expect(log.values == ["registered", "active", "inactive", "unregistered"])
  }
}

/// A channel that notes what it gets, and a future of the time when that is enough.
private func bind(
  _ group: any NIOCore.EventLoopGroup, _ host: String, _ log: Log<Envelope>, enough: Int = 1,
  _ prepare: (UVDatagramBootstrap) -> UVDatagramBootstrap = { $0 }
) throws -> (channel: any Channel, came: EventLoopFuture<Void>) {
  let promise = group.next().makePromise(of: Void.self)
  let channel = try prepare(UVDatagramBootstrap(group: group))
    .channelInitializer { $0.pipeline.addHandler(Received(log, enough, promise)) }
    .bind(host: host, port: 0).wait()
  channel.closeFuture.whenComplete { _ in promise.succeed(()) }
  return (channel, promise.futureResult)
}

/// Sends each datagram back.
private final class Answer: ChannelInboundHandler, Sendable {
  typealias InboundIn = Envelope

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
  func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
}

private final class Received: ChannelInboundHandler, Sendable {
  typealias InboundIn = Envelope

  private let log: Log<Envelope>
  private let enough: Int
  private let promise: EventLoopPromise<Void>

  init(_ log: Log<Envelope>, _ enough: Int, _ promise: EventLoopPromise<Void>) {
    (self.log, self.enough, self.promise) = (log, enough, promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    log.append(unwrapInboundIn(data))
    if log.values.count == enough { promise.succeed(()) }
  }
}

private final class Errors: ChannelInboundHandler, Sendable {
  typealias InboundIn = Envelope

  private let promise: EventLoopPromise<Void>
  init(_ promise: EventLoopPromise<Void>) { self.promise = promise }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
}
#endif
