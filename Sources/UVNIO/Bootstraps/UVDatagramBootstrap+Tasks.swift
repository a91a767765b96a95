#if NIO || NIOBootstraps || Everything
public import NIOCore

/// The functions for tasks. Each calls `channelInitializer` with the channel, on its loop, after the
/// bootstrap's own initializer. It returns what the future of `channelInitializer` has, such as a
/// `NIOAsyncChannel`.
extension UVDatagramBootstrap {
  /// Binds a channel to a host's first address; see ``bind(host:port:)``.
  ///
  /// ```swift
  /// let channel = try await UVDatagramBootstrap(group: group).bind(host: "::1", port: 5353) { channel in
  ///   channel.eventLoop.makeCompletedFuture {
  ///     try NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>(
  ///       wrappingChannelSynchronously: channel)
  ///   }
  /// }
  /// ```
  public func bind<Output: Sendable>(
    host: String, port: Int, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await bind({ try .makeAddressResolvingHost(host, port: port) }, channelInitializer).made()
  }

  /// Binds a channel to an address; see ``bind(host:port:)``.
  public func bind<Output: Sendable>(
    to address: SocketAddress,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await bind({ address }, channelInitializer).made()
  }

  /// Binds a channel to the path of a Unix socket; see
  /// ``bind(unixDomainSocketPath:cleanupExistingSocketFile:)``.
  public func bind<Output: Sendable>(
    unixDomainSocketPath path: String, cleanupExistingSocketFile: Bool = false,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await bind({ try unixAddress(path, removingSocket: cleanupExistingSocketFile) }, channelInitializer)
      .made()
  }

  /// Makes a channel of a socket that is bound already; see ``withBoundSocket(_:)``.
  public func withBoundSocket<Output: Sendable>(
    _ socket: NIOBSDSocket.Handle,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await takeOver(socket, channelInitializer).made()
  }

  /// Connects a channel to a host's first address; see ``connect(host:port:)``.
  public func connect<Output: Sendable>(
    host: String, port: Int, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await connect({ try .makeAddressResolvingHost(host, port: port) }, channelInitializer).made()
  }

  /// Connects a channel to an address; see ``connect(host:port:)``.
  public func connect<Output: Sendable>(
    to address: SocketAddress,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await connect({ address }, channelInitializer).made()
  }

  /// Connects a channel to the path of a Unix socket; see ``connect(host:port:)``.
  public func connect<Output: Sendable>(
    unixDomainSocketPath: String,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await connect({ try SocketAddress(unixDomainSocketPath: unixDomainSocketPath) }, channelInitializer)
      .made()
  }
}
#endif
