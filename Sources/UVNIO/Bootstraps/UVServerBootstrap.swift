#if NIO || NIOBootstraps || Everything
public import NIOCore

/// Makes channels that listen, over TCP or a Unix socket.
///
/// ```swift
/// let server = try await UVServerBootstrap(group: group)
///   .serverChannelOption(.backlog, value: 256)
///   .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
///   .childChannelInitializer { channel in
///     channel.eventLoop.makeCompletedFuture {
///       try channel.pipeline.syncOperations.addHandler(EchoHandler())
///     }
///   }
///   .bind(host: "127.0.0.1", port: 8080).get()
/// ```
///
/// It takes the place of NIO's `ServerBootstrap`, whose functions it has. It is a value: each function
/// returns a changed copy.
///
/// A connection is accepted on the loop of the listening channel, and lives on the next loop of the group. If
/// the system has no descriptor or memory for connections, the channel's handlers get the error. The channel
/// tries again after 5 ms, and then after twice the time each, up to a second.
///
/// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
public struct UVServerBootstrap: Sendable {
  /// A function that adds handlers to a channel.
  public typealias Initializer = @Sendable (any Channel) -> EventLoopFuture<Void>

  private let group: any EventLoopGroup
  private let childGroup: any EventLoopGroup
  private var options = ChannelOptions.Storage()
  private var childOptions = ChannelOptions.Storage()
  private var initializer: Initializer?
  private var childInitializer: Initializer?

  /// Creates a bootstrap.
  ///
  /// - Parameters:
  ///   - group: Where the listening channel lives: a ``UVEventLoopGroup``, or a ``UVEventLoop``. A group of
  ///     another kind stops the program with a message.
  ///   - childGroup: Where the connections live; `group` if it is nil.
  public init(group: any EventLoopGroup, childGroup: (any EventLoopGroup)? = nil) {
    group.requireUV()
    childGroup?.requireUV()
    self.group = group
    self.childGroup = childGroup ?? group
    // Small answers leave at once, as with NIO's own bootstrap.
    childOptions.append(key: .tcpOption(.tcp_nodelay), value: 1)
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  // MARK: Options

  /// Sets what is called with the listening channel before it is registered.
  public func serverChannelInitializer(_ initializer: @escaping Initializer) -> Self {
    with { $0.initializer = initializer }
  }

  /// Sets what is called with each connection, on the connection's loop, before it is registered. If it
  /// fails, the connection is closed, and the error goes on through the listening channel's pipeline: to
  /// handlers that were added after `bind`.
  public func childChannelInitializer(_ initializer: @escaping Initializer) -> Self {
    with { $0.childInitializer = initializer }
  }

  /// Sets an option of the listening channel. An option that it doesn't have makes `bind` fail with
  /// `ChannelError.operationUnsupported`.
  public func serverChannelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self {
    with { $0.options.append(key: option, value: value) }
  }

  /// Sets an option of each connection.
  public func childChannelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self {
    with { $0.childOptions.append(key: option, value: value) }
  }

  // MARK: Binding

  /// Listens at a host's first address.
  ///
  /// - Parameters:
  ///   - host: An address literal, or a name. A name is looked up by the calling thread, which waits for it.
  ///   - port: 0…65535. With 0 the system chooses a port; the channel's `localAddress` has it.
  /// - Returns: The channel once it listens, on its loop. The future fails with an `IOError` such as
  ///   `EADDRINUSE`, and with what the initializer fails with.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func bind(host: String, port: Int) -> EventLoopFuture<any Channel> {
    bind { try SocketAddress.makeAddressResolvingHost(host, port: port) }
  }

  /// Listens at an address; see ``bind(host:port:)``.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func bind(to address: SocketAddress) -> EventLoopFuture<any Channel> { bind { address } }

  /// Listens at the path of a Unix socket; see ``bind(host:port:)``. The file stays when the channel is
  /// closed.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS).
  ///   - cleanupExistingSocketFile: Whether a socket's file at the path is removed first. Another file stays,
  ///     and `bind` fails.
  ///
  /// The corresponding libuv functions are `uv_pipe_bind` and `uv_listen`.
  public func bind(
    unixDomainSocketPath path: String, cleanupExistingSocketFile: Bool = false
  ) -> EventLoopFuture<any Channel> {
    bind { try unixAddress(path, removingSocket: cleanupExistingSocketFile) }
  }

  /// Listens on a socket that is bound already. The channel takes it over.
  ///
  /// - Parameter socket: The descriptor of a stream socket that is bound to an address. It need not listen
  ///   yet.
  public func withBoundSocket(_ socket: NIOBSDSocket.Handle) -> EventLoopFuture<any Channel> {
    open(
      { try Socket(takingOver: socket) }, { _, loop in loop.makeSucceededVoidFuture() },
      listenOnBound
    ).map { channel, _ in channel }
  }

  private func bind(_ address: () throws -> SocketAddress) -> EventLoopFuture<any Channel> {
    do {
      let address = try address()
      return open(
        { try Socket(address.protocol) }, { _, loop in loop.makeSucceededVoidFuture() }, bindTo(address)
      ).map { channel, _ in channel }
    } catch { return group.next().makeFailedFuture(error) }
  }

  // MARK: Binding, for tasks

  /// Listens at a host's first address, and makes a sequence of the connections.
  ///
  /// ```swift
  /// let server = try await UVServerBootstrap(group: group).bind(host: "::1", port: 8080) { channel in
  ///   channel.eventLoop.makeCompletedFuture {
  ///     try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
  ///   }
  /// }
  /// try await server.executeThenClose { connections in
  ///   for try await connection in connections { … }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - host: See ``bind(host:port:)``.
  ///   - port: See ``bind(host:port:)``.
  ///   - serverBackPressureStrategy: How many connections wait for the sequence's reader before no more are
  ///     accepted.
  ///   - childChannelInitializer: Called with each connection, on its loop, after the bootstrap's own
  ///     initializer. The value of its future is the sequence's element.
  /// - Throws: What the future of ``bind(host:port:)`` fails with.
  public func bind<Output: Sendable>(
    host: String, port: Int,
    serverBackPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark? = nil,
    childChannelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> NIOAsyncChannel<Output, Never> {
    try await bind(
      to: SocketAddress.makeAddressResolvingHost(host, port: port),
      serverBackPressureStrategy: serverBackPressureStrategy, childChannelInitializer: childChannelInitializer
    )
  }

  /// Listens at an address, and makes a sequence of the connections; see
  /// ``bind(host:port:serverBackPressureStrategy:childChannelInitializer:)``.
  public func bind<Output: Sendable>(
    to address: SocketAddress,
    serverBackPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark? = nil,
    childChannelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> NIOAsyncChannel<Output, Never> {
    try await open(
      { try Socket(address.protocol) }, wrap(serverBackPressureStrategy, childChannelInitializer),
      bindTo(address)
    ).made()
  }

  /// Listens at the path of a Unix socket, and makes a sequence of the connections; see
  /// ``bind(host:port:serverBackPressureStrategy:childChannelInitializer:)``.
  public func bind<Output: Sendable>(
    unixDomainSocketPath path: String, cleanupExistingSocketFile: Bool = false,
    serverBackPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark? = nil,
    childChannelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> NIOAsyncChannel<Output, Never> {
    try await bind(
      to: unixAddress(path, removingSocket: cleanupExistingSocketFile),
      serverBackPressureStrategy: serverBackPressureStrategy, childChannelInitializer: childChannelInitializer
    )
  }

  /// Listens on a socket that is bound already, and makes a sequence of the connections; see
  /// ``withBoundSocket(_:)`` and ``bind(host:port:serverBackPressureStrategy:childChannelInitializer:)``.
  public func bind<Output: Sendable>(
    _ socket: NIOBSDSocket.Handle,
    serverBackPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark? = nil,
    childChannelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> NIOAsyncChannel<Output, Never> {
    try await open(
      { try Socket(takingOver: socket) }, wrap(serverBackPressureStrategy, childChannelInitializer),
      listenOnBound
    ).made()
  }

  // MARK: Opening

  private func bindTo(_ address: SocketAddress) -> @Sendable (ServerChannel) -> EventLoopFuture<Void> {
    { channel in channel.register().flatMap { channel.bind(to: address) } }
  }

  private var listenOnBound: @Sendable (ServerChannel) -> EventLoopFuture<Void> {
    { channel in
      let promise = channel.loop.makePromise(of: Void.self)
      do {
        try channel.startListening()
        channel.registerAlreadyConfigured0(promise: promise)
      } catch { promise.fail(error) }
      return promise.futureResult
    }
  }

  private func wrap<Output: Sendable>(
    _ strategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark?,
    _ childInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) -> @Sendable (ServerChannel, UVEventLoop) -> EventLoopFuture<NIOAsyncChannel<Output, Never>> {
    { channel, loop in
      loop.makeCompletedFuture {
        try NIOAsyncChannel<Output, Never>._wrapAsyncChannelWithTransformations(
          wrappingChannelSynchronously: channel, backPressureStrategy: strategy,
          channelReadTransformation: { child in child.eventLoop.flatSubmit { childInitializer(child) } })
      }
    }
  }

  /// Makes a channel, has it initialized and begun, and closes it if any of that fails.
  private func open<Output: Sendable>(
    _ makeSocket: @escaping @Sendable () throws -> Socket,
    _ prepare: @escaping @Sendable (ServerChannel, UVEventLoop) -> EventLoopFuture<Output>,
    _ begin: @escaping @Sendable (ServerChannel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<(any Channel, Output)> {
    let loop = group.nextUVLoop()
    let (childGroup, options, initializer) = (childGroup, options, initializer)
    let accept = { @Sendable [childInitializer, childOptions] in AcceptHandler(childInitializer, childOptions)
    }
    return loop.flatSubmit {
      loop.open(
        options, initializer,
        make: { ServerChannel(try makeSocket(), loop) { childGroup.nextUVLoop() } },
        prepare: { channel in
          loop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(accept())
          }.flatMap { prepare(channel, loop) }
        }, begin: begin)
    }
  }
}
#endif
