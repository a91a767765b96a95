#if Everything
import Foundation
import NIOCore
import Testing
import UVNIO
import UVTestSupport

/// Runs `body` with a group on a thread without a loop, and checks that the group leaves no descriptor
/// behind.
@discardableResult
func withGroup<T: Sendable>(
  _ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (UVEventLoopGroup) throws -> T
) async throws -> T {
  try await withThread(sourceLocation: sourceLocation) {
    let group = try UVEventLoopGroup(count: count)
    let result = Result { try body(group) }
    try group.syncShutdownGracefully()
    return try result.get()
  }
}

/// A server that adds handlers to each connection.
func serve(
  _ group: any EventLoopGroup, _ handlers: @escaping @Sendable () -> [any ChannelHandler & Sendable]
) throws -> any Channel {
  try UVServerBootstrap(group: group)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in channel.pipeline.addHandlers(handlers()) }
    .bind(host: "127.0.0.1", port: 0).wait()
}

/// A client of a server, with handlers of its own.
func connect(
  _ group: any EventLoopGroup, to server: any Channel, _ handlers: any ChannelHandler & Sendable...
) throws -> any Channel {
  try UVClientBootstrap(group: group)
    .channelInitializer { channel in channel.pipeline.addHandlers(handlers) }
    .connect(to: server.localAddress!).wait()
}

/// A client on a loop of the group, and what its server, on the same loop, gets.
func connectToCollector(
  _ group: UVEventLoopGroup, _ prepare: (UVClientBootstrap) -> UVClientBootstrap = { $0 }
) throws -> (client: any Channel, received: Collect) {
  let loop = group.next()
  let received = Collect(on: loop)
  let server = try serve(loop) { [received] }
  let client = try prepare(UVClientBootstrap(group: loop)).connect(to: server.localAddress!).wait()
  return (client, received)
}

/// Two sockets of the system's that are connected to each other.
func socketPair(sourceLocation: SourceLocation = #_sourceLocation) -> [Int32] {
  var pair: [Int32] = [0, 0]
  #if os(Linux)
  let kind = Int32(SOCK_STREAM.rawValue)
  #else
  let kind = SOCK_STREAM
  #endif
  #expect(socketpair(AF_UNIX, kind, 0, &pair) == 0, sourceLocation: sourceLocation)
  return pair
}

/// Sends back what it gets.
final class Echo: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
  func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
}

/// Keeps what it gets, and answers when the input has ended.
final class Collect: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  let end: EventLoopPromise<ByteBuffer>
  private let bytes: NIOLoopBoundBox<ByteBuffer>
  private let enough: Int

  /// - Parameter enough: How many bytes are an answer although the input goes on.
  init(on loop: any EventLoop, enough: Int = .max) {
    end = loop.makePromise()
    bytes = .makeBoxSendingValue(ByteBuffer(), eventLoop: loop)
    self.enough = enough
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes.value.writeImmutableBuffer(unwrapInboundIn(data))
    if bytes.value.readableBytes >= enough { end.succeed(bytes.value) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { end.succeed(bytes.value) }
  }

  func channelInactive(context: ChannelHandlerContext) { end.succeed(bytes.value) }
}

/// Notes what a channel reports, in order.
final class Events: ChannelInboundHandler, Sendable {
  typealias InboundIn = Any

  let log: Log<String>
  init(_ log: Log<String>) { self.log = log }

  func channelRegistered(context: ChannelHandlerContext) { log.append("registered") }
  func channelActive(context: ChannelHandlerContext) {
    log.append("active")
    context.fireChannelActive()
  }
  func channelInactive(context: ChannelHandlerContext) {
    log.append("inactive")
    context.fireChannelInactive()
  }
  func channelUnregistered(context: ChannelHandlerContext) { log.append("unregistered") }
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    log.append(context.channel.isWritable ? "writable" : "not writable")
  }
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    log.append("\(event)")
    context.fireUserInboundEventTriggered(event)
  }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { log.append("error") }
}
#endif
