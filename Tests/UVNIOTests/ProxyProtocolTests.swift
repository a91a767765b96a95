#if Everything
import NIOCore
import Testing
import UV
import UVNIO
import UVTestSupport

@Suite(.serialized) struct ProxyProtocolTests {
  /// Notes what comes behind the handler.
  private final class Notes: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let log = Log<String>()

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if let header = event as? ProxyHeader { log.append("\(header.source?.description ?? "none")") }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      log.append(String(buffer: unwrapInboundIn(data)))
      context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { log.append("\(error)") }
  }

  private func run(_ pieces: [String], from peers: [String]) async throws -> [String] {
    let notes = Notes()
    try await withGroup { group in
      let server = try UVServerBootstrap(group: group).childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ProxyProtocolHandler(from: peers, timeout: .milliseconds(300)))
          try channel.pipeline.syncOperations.addHandler(notes)
        }
      }.bind(host: "127.0.0.1", port: 0).wait()
      let client = try connect(group, to: server)
      for piece in pieces { try? client.writeAndFlush(ByteBuffer(string: piece)).wait() }
      // The server's end closes each connection.
      try? client.closeFuture.wait()
      try server.close().wait()
    }
    return notes.log.values
  }

  @Test("The header is an event before the bytes behind it")
  func header() async throws {
    let line = "PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n"
    #expect(try await run([line + "hello"], from: ["127.0.0.1"]) == ["192.0.2.1:8080", "hello"])
    #expect(
      try await run([String(line.prefix(9)), line.dropFirst(9) + "hello"], from: ["127.0.0.0/8"])
        == ["192.0.2.1:8080", "hello"])
    #expect(try await run([line, "hello"], from: ["::/0"]) == ["192.0.2.1:8080", "hello"])
  }

  @Test("Strangers, silent peers and other protocols are closed with a reason")
  func failures() async throws {
    #expect(
      try await run(["PROXY UNKNOWN\r\nhello"], from: ["10.0.0.0/8"])
        == ["accept: 127.0.0.1 isn't among those who may send a PROXY header (EACCES)"])
    #expect(
      try await run(["GET / HTTP/1.1\r\n"], from: ["127.0.0.1"])
        == ["accept: the peer doesn't begin with a PROXY header (EPROTO)"])
    #expect(try await run(["PROXY "], from: ["127.0.0.1"]) == ["accept: connection timed out (ETIMEDOUT)"])
    #expect(throws: UVError.self) { try ProxyProtocolHandler(from: ["localhost"]) }
  }
}
#endif
