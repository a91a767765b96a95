#if NIO || NIOBootstraps || Everything
import NIOCore

/// The steps that a client's bootstrap takes with each channel that it makes.
struct ClientSetup: Sendable {
  typealias Initializer<Output> = @Sendable (any Channel) -> EventLoopFuture<Output>

  var options = ChannelOptions.Storage()
  var initializer: Initializer<Void>?
  var protocolHandlers: (@Sendable () -> [any ChannelHandler])?
  var connectTimeout = TimeAmount.seconds(10)
  var source: SocketAddress?

  func connect<Output: Sendable>(
    _ loop: UVEventLoop, _ address: SocketAddress, _ further: @escaping Initializer<Output>,
    cancelledWith wait: ChannelWait<Output>? = nil
  ) -> EventLoopFuture<(any Channel, Output)> {
    loop.flatSubmit { [self] in
      connectOnLoop(loop, address, further) { channel in
        wait?.onCancel(loop) { channel.close0(error: CancellationError(), mode: .all, promise: nil) }
      }
    }
  }

  func connect<Output: Sendable>(
    _ loop: UVEventLoop, _ host: String, _ port: Int, _ further: @escaping Initializer<Output>,
    cancelledWith wait: ChannelWait<Output>? = nil
  ) -> EventLoopFuture<(any Channel, Output)> {
    loop.flatSubmit { [self] in
      let connector = Connector(loop, self, host, port, further)
      let future = connector.start()
      wait?.onCancel(loop) { connector.cancel() }
      return future
    }
  }

  func takeOver<Output: Sendable>(
    _ loop: UVEventLoop, _ descriptor: NIOBSDSocket.Handle, _ further: @escaping Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    loop.flatSubmit { [self] in
      open(loop, { try Socket(takingOver: descriptor) }, further, { _ in }) { channel in
        let promise = loop.makePromise(of: Void.self)
        channel.updateAddresses()
        channel.registerAlreadyConfigured0(promise: promise)
        return promise.futureResult
      }
    }
  }

  /// Connects to an address, on the loop's thread. `made` gets the channel before it is connected.
  func connectOnLoop<Output: Sendable>(
    _ loop: UVEventLoop, _ address: SocketAddress, _ further: @escaping Initializer<Output>,
    _ made: (StreamChannel) -> Void
  ) -> EventLoopFuture<(any Channel, Output)> {
    open(loop, { try Socket(address.protocol) }, further, made) { [source] channel in
      channel.register().flatMap {
        source.map { channel.bind(to: $0) } ?? loop.makeSucceededVoidFuture()
      }.flatMap { channel.connect(to: address) }
    }
  }

  private func open<Output: Sendable>(
    _ loop: UVEventLoop, _ makeSocket: () throws -> Socket, _ further: @escaping Initializer<Output>,
    _ made: (StreamChannel) -> Void, _ begin: @escaping @Sendable (StreamChannel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<(any Channel, Output)> {
    loop.open(
      options, initializer,
      make: {
        let channel = StreamChannel(try makeSocket(), loop, parent: nil)
        try channel.setOptionNow(ChannelOptions.Types.ConnectTimeoutOption(), connectTimeout)
        made(channel)
        return channel
      },
      prepare: { [protocolHandlers] channel in
        guard let protocolHandlers else { return further(channel) }
        return loop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(protocolHandlers(), position: .first)
        }.flatMap { further(channel) }
      }, begin: begin)
  }
}
#endif
