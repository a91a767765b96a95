import Foundation
import NIOCore
import NIOPosix
import UVNIO

/// Gives NIO's bootstraps sockets that exist, and asks them for channels on loops that have ended. Prints what came of it.
enum Sockets {
  static func run() async throws {
    let group = try UVEventLoopGroup(count: 2)
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in channel.pipeline.addHandler(Echo()) }
      .withBoundSocket(make(SocketAddress(ipAddress: "127.0.0.1", port: 0), bind)).get()
    let connected = try make(server.localAddress!, connect)
    let client = try await ClientBootstrap(group: group).withConnectedSocket(connected) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    let knowsPeer = client.channel.remoteAddress == server.localAddress
    let answer = try await client.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: "hello"))
      var answer = ""
      for try await part in inbound {
        answer += String(buffer: part)
        if answer.count == 5 { break }
      }
      return answer
    }
    try await server.close()
    try await group.shutdownGracefully()
    print("sockets that exist: \(answer), peer known \(knowsPeer)")

    let before = descriptors()
    let here = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
    var refusals = 0
    for _ in 0..<10 {
      for future in [
        ServerBootstrap(group: group).bind(to: here), ClientBootstrap(group: group).connect(to: here),
        DatagramBootstrap(group: group).bind(to: here),
      ] {
        do { _ = try await future.get() } catch EventLoopError.shutdown { refusals += 1 }
      }
    }
    print("after the end: \(refusals) refusals, \(descriptors() - before) descriptors left")
    try await endEarly(here)
    print("while they end: \(descriptors() - before) descriptors left")
  }

  /// Asks for channels on loops that end at the same time.
  private static func endEarly(_ here: SocketAddress) async throws {
    for _ in 0..<200 {
      let group = try UVEventLoopGroup(count: 1)
      async let end: Void = group.shutdownGracefully()
      let futures = (0..<30).flatMap { _ in
        [
          ServerBootstrap(group: group).bind(to: here), ClientBootstrap(group: group).connect(to: here),
          DatagramBootstrap(group: group).bind(to: here),
        ]
      }
      try await end
      for future in futures { _ = try? await future.get() }
    }
  }

  /// A socket that was bound or connected by a call of the system's.
  private static func make(
    _ address: SocketAddress, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let code = try address.withSockAddr { pointer, size in call(socket, pointer, socklen_t(size)) }
    guard code == 0 else { throw IOError(errnoCode: errno, reason: "bind or connect") }
    return socket
  }

  private static func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

/// Sends back what it gets.
private final class Echo: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
}
