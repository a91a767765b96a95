#if NIO || NIOBootstraps || Everything
public import NIOCore

/// Makes channels that connect, over TCP or a Unix socket.
///
/// ```swift
/// let channel = try await UVClientBootstrap(group: group)
///   .channelInitializer { channel in channel.pipeline.addHTTPClientHandlers() }
///   .connect(host: "localhost", port: 8080).get()
/// ```
///
/// It takes the place of NIO's `ClientBootstrap`, whose functions it has. It is a value: each function
/// returns a changed copy.
///
/// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
public struct UVClientBootstrap: NIOClientTCPBootstrapProtocol, Sendable {
  private let group: any EventLoopGroup
  private var setup = ClientSetup()

  /// Creates a bootstrap.
  ///
  /// - Parameter group: Where the channels live: a ``UVEventLoopGroup``, or a ``UVEventLoop``. A group of
  ///   another kind stops the program with a message.
  public init(group: any EventLoopGroup) {
    group.requireUV()
    self.group = group
    // Small requests leave at once, as with NIO's own bootstrap.
    setup.options.append(key: .tcpOption(.tcp_nodelay), value: 1)
  }

  private func with(_ change: (inout ClientSetup) -> Void) -> Self {
    var copy = self
    change(&copy.setup)
    return copy
  }

  // MARK: Options

  /// Sets what is called with a channel before it is registered. A connection to a host with several
  /// addresses may make several channels. One remains.
  public func channelInitializer(
    _ handler: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> Self {
    with { $0.initializer = handler }
  }

  /// Sets handlers that come first in the pipeline, before those of the initializer.
  public func protocolHandlers(_ handlers: @escaping @Sendable () -> [any ChannelHandler]) -> Self {
    with { $0.protocolHandlers = handlers }
  }

  /// Sets an option of the channel. An option that it doesn't have makes `connect` fail with
  /// `ChannelError.operationUnsupported`.
  public func channelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self {
    with { $0.options.append(key: option, value: value) }
  }

  /// Sets how long connecting may take, 10 seconds by default. After that it fails with
  /// `ChannelError.connectTimeout`. For a host the time includes the look-up, and all addresses.
  public func connectTimeout(_ timeout: TimeAmount) -> Self { with { $0.connectTimeout = timeout } }

  /// Sets the address to connect from.
  public func bind(to address: SocketAddress) -> Self { with { $0.source = address } }

  // MARK: Connecting

  /// Connects to a host.
  ///
  /// The host's IPv6 and IPv4 addresses are looked up side by side, and tried in turn. A further one is tried
  /// if the one before has failed, or has not answered within 250 ms; the first that answers wins (RFC 8305).
  ///
  /// - Parameters:
  ///   - host: A name, or an address literal.
  ///   - port: 0…65535.
  /// - Returns: The channel once it is connected, on its loop. The future fails with a ``UVConnectionError``
  ///   if there is no such host or no address answers.
  ///
  /// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
  public func connect(host: String, port: Int) -> EventLoopFuture<any Channel> {
    setup.connect(group.nextUVLoop(), host, port, doNothing).map { channel, _ in channel }
  }

  /// Connects to an address.
  ///
  /// - Returns: The channel once it is connected, on its loop. The future fails with an `IOError` such as
  ///   `ECONNREFUSED`, or with `ChannelError.connectTimeout`.
  ///
  /// The corresponding libuv function is `uv_tcp_connect`.
  public func connect(to address: SocketAddress) -> EventLoopFuture<any Channel> {
    setup.connect(group.nextUVLoop(), address, doNothing).map { channel, _ in channel }
  }

  /// Connects to the path of a Unix socket; see ``connect(to:)``.
  ///
  /// The corresponding libuv function is `uv_pipe_connect`.
  public func connect(unixDomainSocketPath: String) -> EventLoopFuture<any Channel> {
    do { return connect(to: try SocketAddress(unixDomainSocketPath: unixDomainSocketPath)) } catch {
      return group.next().makeFailedFuture(error)
    }
  }

  /// Makes a channel of a socket that is connected already. The channel takes it over.
  ///
  /// - Parameter socket: The descriptor of a connected stream socket.
  ///
  /// The corresponding libuv function is `uv_tcp_open`.
  public func withConnectedSocket(_ socket: NIOBSDSocket.Handle) -> EventLoopFuture<any Channel> {
    setup.takeOver(group.nextUVLoop(), socket, doNothing).map { channel, _ in channel }
  }

  // MARK: Connecting, for tasks

  /// Connects to a host; see ``connect(host:port:)``.
  ///
  /// - Parameters:
  ///   - host: A name, or an address literal.
  ///   - port: 0…65535.
  ///   - channelInitializer: Called with the channel, on its loop, after the bootstrap's own initializer.
  /// - Returns: What the future of `channelInitializer` has, such as a `NIOAsyncChannel`.
  /// - Throws: What the future of ``connect(host:port:)`` fails with. If the task is cancelled, this ends at
  ///   once with `CancellationError`, and no channel remains. So do the other functions for tasks.
  public func connect<Output: Sendable>(
    host: String, port: Int, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    let wait = ChannelWait<Output>()
    return try await wait.value(
      of: setup.connect(group.nextUVLoop(), host, port, channelInitializer, cancelledWith: wait))
  }

  /// Connects to an address; see ``connect(host:port:channelInitializer:)``.
  public func connect<Output: Sendable>(
    to address: SocketAddress,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    let wait = ChannelWait<Output>()
    return try await wait.value(
      of: setup.connect(group.nextUVLoop(), address, channelInitializer, cancelledWith: wait))
  }

  /// Connects to the path of a Unix socket; see ``connect(host:port:channelInitializer:)``.
  public func connect<Output: Sendable>(
    unixDomainSocketPath: String,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await connect(
      to: SocketAddress(unixDomainSocketPath: unixDomainSocketPath), channelInitializer: channelInitializer)
  }

  /// Makes a channel of a socket that is connected already; see ``withConnectedSocket(_:)``.
  public func withConnectedSocket<Output: Sendable>(
    _ socket: NIOBSDSocket.Handle,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await setup.takeOver(group.nextUVLoop(), socket, channelInitializer).made()
  }
}

extension UVClientBootstrap {
  /// Applies NIO's convenience options. NIO calls this.
  public func _applyChannelConvenienceOptions(_ options: inout ChannelOptions.TCPConvenienceOptions) -> Self {
    var bootstrap = self
    if options.consumeAllowLocalEndpointReuse().isSet {
      bootstrap = bootstrap.channelOption(.socketOption(.so_reuseaddr), value: 1)
    }
    if options.consumeDisableAutoRead().isSet { bootstrap = bootstrap.channelOption(.autoRead, value: false) }
    if options.consumeAllowRemoteHalfClosure().isSet {
      bootstrap = bootstrap.channelOption(.allowRemoteHalfClosure, value: true)
    }
    return bootstrap
  }
}
#endif
