#if NIO || NIOBootstraps || Everything
public import NIOCore
import UV

/// Reads the header of the PROXY protocol, with which a load balancer begins each connection, and takes it away
/// before the handlers behind it get anything.
///
/// ```swift
/// UVServerBootstrap(group: group).childChannelInitializer { channel in
///   channel.eventLoop.makeCompletedFuture {
///     try channel.pipeline.syncOperations.addHandler(ProxyProtocolHandler(from: ["10.0.0.0/8"]))
///     // TLS and the protocol's handlers follow.
///   }
/// }
/// ```
///
/// The handlers behind get the header as a user event, a `ProxyHeader` of `UV`, before the first bytes. Then this
/// handler removes itself. A connection of another peer is closed, as is one that sends something else: the
/// handlers get a `UVError` with the reason.
///
/// It does what `proxyProtocol(from:)` does for listeners of `UV`.
public final class ProxyProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
  /// The type of the bytes that come in.
  public typealias InboundIn = ByteBuffer
  /// The type of the bytes that go on.
  public typealias InboundOut = ByteBuffer

  private let ranges: [AddressRange]
  private let limit: TimeAmount
  private var input = ByteBuffer()
  private var timer: Scheduled<Void>?
  private var isOver = false

  /// Creates a handler, for one connection.
  ///
  /// - Parameters:
  ///   - peers: The addresses of the load balancers, such as `"10.0.0.7"`, `"10.0.0.0/8"` or `"fd00::/8"`. The
  ///     peers of a Unix socket are trusted.
  ///   - timeout: How long the header may take.
  /// - Throws: `invalidArgument`, a `UVError`, if one of the addresses is none.
  public init(from peers: [String], timeout: Duration = .seconds(5)) throws {
    ranges = try peers.map { try AddressRange($0) }
    limit = TimeAmount(timeout)
  }

  /// Called by the channel.
  public func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

  /// Called by the channel.
  public func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  /// Called by the channel.
  public func handlerRemoved(context: ChannelHandlerContext) { timer.take()?.cancel() }

  /// Called by the channel.
  public func channelInactive(context: ChannelHandlerContext) {
    fail(context, .endOfFile, "the peer has ended within its PROXY header")
    context.fireChannelInactive()
  }

  /// Called by the channel.
  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isOver { return context.fireChannelRead(data) }
    var bytes = unwrapInboundIn(data)
    input.writeBuffer(&bytes)
    do throws(ProxyHeader.Malformed) {
      guard let (header, count) = try ProxyHeader.parse(Bytes(input.readableBytesView).span) else { return }
      isOver = true
      input.moveReaderIndex(forwardBy: count)
      context.fireUserInboundEventTriggered(header)
      if input.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(input)) }
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    } catch { fail(context, .protocolError, error.reason) }
  }

  /// Called by the channel.
  public func channelReadComplete(context: ChannelHandlerContext) {
    // The handlers behind have got none of the bytes that they asked for.
    if isOver { context.fireChannelReadComplete() } else { context.read() }
  }

  private func begin(_ context: ChannelHandlerContext) {
    if timer != nil || isOver { return }
    if let host = context.remoteAddress?.ipAddress {
      guard let peer = try? UV.SocketAddress(host, port: 0), ranges.contains(where: { $0.contains(peer) })
      else {
        return fail(
          context, .permissionDenied, "\(host) isn't among those who may send a PROXY header")
      }
    }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
      fail(context, .timedOut, nil)
    }
  }

  private func fail(_ context: ChannelHandlerContext, _ code: UVError.Code, _ message: String?) {
    if isOver { return }
    isOver = true
    timer.take()?.cancel()
    context.fireErrorCaught(
      message.map { UVError(code, operation: "accept", message: $0) } ?? UVError(code, operation: "accept"))
    context.close(promise: nil)
  }
}
#endif
