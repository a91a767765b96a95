#if NIO || NIOBootstraps || Everything
import NIOCore

extension UVEventLoop {
  /// Makes a channel, has it initialized and begun, and closes it if any of that fails. On the loop's thread.
  ///
  /// - Parameters:
  ///   - prepare: Called after the initializer. The value of its future is part of the outcome.
  ///   - begin: Binds, connects, or takes the channel into service in another way.
  func open<Made: SocketChannel, Output: Sendable>(
    _ options: ChannelOptions.Storage, _ initializer: UVServerBootstrap.Initializer?,
    make: () throws -> Made, prepare: @escaping @Sendable (Made) -> EventLoopFuture<Output>,
    begin: @escaping @Sendable (Made) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<(any Channel, Output)> {
    let channel: Made
    do {
      guard isOpen else { throw EventLoopError.shutdown }
      channel = try make()
    } catch { return makeFailedFuture(error) }
    return options.applyAllChannelOptions(to: channel).flatMap { [self] in
      initializer?(channel) ?? makeSucceededVoidFuture()
    }.flatMap {
      prepare(channel)
    }.flatMap { output in
      begin(channel).map { (channel as any Channel, output) }
    }.flatMapError { [self] error in
      channel.close0(error: error, mode: .all, promise: nil)
      return makeFailedFuture(error)
    }
  }
}

/// An initializer that does nothing.
@Sendable func doNothing(_ channel: any Channel) -> EventLoopFuture<Void> {
  channel.eventLoop.makeSucceededVoidFuture()
}
#endif
