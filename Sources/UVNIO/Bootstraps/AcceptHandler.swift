#if NIO || NIOBootstraps || Everything
import NIOCore

/// Initializes connections on their loops before they go on through the listening channel's pipeline.
final class AcceptHandler: ChannelInboundHandler {
  typealias InboundIn = StreamChannel
  typealias InboundOut = StreamChannel

  private let initializer: UVServerBootstrap.Initializer?
  private let options: ChannelOptions.Storage

  init(_ initializer: UVServerBootstrap.Initializer?, _ options: ChannelOptions.Storage) {
    self.initializer = initializer
    self.options = options
  }

  /// The helper that ends a server gracefully wants no more connections.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      context.channel.close().assumeIsolated().whenFailure { context.fireErrorCaught($0) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let child = unwrapInboundIn(data)
    let loop = child.loop
    let prepare: @Sendable () -> EventLoopFuture<Void> = { [initializer, options] in
      options.applyAllChannelOptions(to: child).flatMap {
        initializer?(child) ?? loop.makeSucceededVoidFuture()
      }
    }
    let isHere = loop === context.eventLoop
    let prepared = isHere ? prepare() : loop.flatSubmit(prepare).hop(to: context.eventLoop)
    prepared.assumeIsolated().whenComplete { result in
      switch result {
      case .success where context.channel.isActive: context.fireChannelRead(data)
      case .success: child.close(promise: nil)
      case .failure(let error):
        child.close(promise: nil)
        context.fireErrorCaught(error)
      }
    }
  }
}
#endif
