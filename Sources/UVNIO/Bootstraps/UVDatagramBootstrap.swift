#if NIO || NIOBootstraps || Everything
public import NIOCore

/// Makes channels for datagrams, over UDP or a Unix socket.
///
/// ```swift
/// let channel = try await UVDatagramBootstrap(group: group)
///   .channelInitializer { channel in channel.pipeline.addHandler(Answers()) }
///   .bind(host: "127.0.0.1", port: 5353).get()
/// ```
///
/// A channel's handlers read and write an `AddressedEnvelope<ByteBuffer>` for each datagram. On a connected
/// channel they may also write a `ByteBuffer`. A datagram that is too long, or whose host can't be reached,
/// fails its write alone. If a peer refuses datagrams, handlers get the error, and the channel stays open.
///
/// It takes the place of NIO's `DatagramBootstrap`, whose functions it has. It is a value: each function
/// returns a changed copy.
///
/// The corresponding libuv functions are `uv_udp_bind` and `uv_udp_connect`.
public struct UVDatagramBootstrap: Sendable {
  private let group: any EventLoopGroup
  private var options = ChannelOptions.Storage()
  private var initializer: UVServerBootstrap.Initializer?
  private var subtype: Int32 = 0

  /// Creates a bootstrap.
  ///
  /// - Parameter group: Where the channels live: a ``UVEventLoopGroup``, or a ``UVEventLoop``. A group of
  ///   another kind stops the program with a message.
  public init(group: any EventLoopGroup) {
    group.requireUV()
    self.group = group
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  // MARK: Options

  /// Sets what is called with a channel before it is registered.
  public func channelInitializer(
    _ handler: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> Self {
    with { $0.initializer = handler }
  }

  /// Sets an option of the channel. An option that it doesn't have makes `bind` and `connect` fail with
  /// `ChannelError.operationUnsupported`.
  ///
  /// Datagram channels have `datagramVectorReadMessageCount`, `explicitCongestionNotification`,
  /// `receivePacketInfo`, and on Linux `datagramSegmentSize`, `datagramReceiveOffload` and
  /// `datagramReceiveSegmentSize`. A datagram longer than the buffers of `recvAllocator`, 2048 bytes at
  /// first, is cut.
  public func channelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self {
    with { $0.options.append(key: option, value: value) }
  }

  /// Sets the protocol of the datagrams, such as `.icmp`; UDP by default. The system may need a privilege for
  /// others.
  public func protocolSubtype(_ subtype: NIOIPProtocol) -> Self {
    with { $0.subtype = Int32(subtype.rawValue) }
  }

  // MARK: Binding

  /// Binds a channel to a host's first address.
  ///
  /// - Parameters:
  ///   - host: An address literal, or a name. A name is looked up by the calling thread, which waits for it.
  ///   - port: 0…65535. With 0 the system chooses a port; the channel's `localAddress` has it.
  /// - Returns: The channel once it is bound, on its loop. The future fails with an `IOError` such as
  ///   `EADDRINUSE`, and with what the initializer fails with.
  ///
  /// The corresponding libuv function is `uv_udp_bind`.
  public func bind(host: String, port: Int) -> EventLoopFuture<any Channel> {
    bind({ try .makeAddressResolvingHost(host, port: port) }, doNothing).map { channel, _ in channel }
  }

  /// Binds a channel to an address; see ``bind(host:port:)``.
  ///
  /// The corresponding libuv function is `uv_udp_bind`.
  public func bind(to address: SocketAddress) -> EventLoopFuture<any Channel> {
    bind({ address }, doNothing).map { channel, _ in channel }
  }

  /// Binds a channel to the path of a Unix socket; see ``bind(host:port:)``. The file stays when the channel
  /// is closed.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS).
  ///   - cleanupExistingSocketFile: Whether a socket's file at the path is removed first. Another file stays,
  ///     and `bind` fails.
  public func bind(
    unixDomainSocketPath path: String, cleanupExistingSocketFile: Bool = false
  ) -> EventLoopFuture<any Channel> {
    bind({ try unixAddress(path, removingSocket: cleanupExistingSocketFile) }, doNothing)
      .map { channel, _ in channel }
  }

  /// Makes a channel of a socket that is bound already. The channel takes it over.
  ///
  /// - Parameter socket: The descriptor of a datagram socket that is bound to an address.
  ///
  /// The corresponding libuv function is `uv_udp_open`.
  public func withBoundSocket(_ socket: NIOBSDSocket.Handle) -> EventLoopFuture<any Channel> {
    takeOver(socket, doNothing).map { channel, _ in channel }
  }

  // MARK: Connecting

  /// Connects a channel to a host's first address. It then has no other peer.
  ///
  /// - Parameters: See ``bind(host:port:)``.
  /// - Returns: The channel, on its loop. No datagram is sent for it, so that a peer that isn't there is
  ///   noticed later.
  ///
  /// The corresponding libuv function is `uv_udp_connect`.
  public func connect(host: String, port: Int) -> EventLoopFuture<any Channel> {
    connect({ try .makeAddressResolvingHost(host, port: port) }, doNothing).map { channel, _ in channel }
  }

  /// Connects a channel to an address; see ``connect(host:port:)``.
  ///
  /// The corresponding libuv function is `uv_udp_connect`.
  public func connect(to address: SocketAddress) -> EventLoopFuture<any Channel> {
    connect({ address }, doNothing).map { channel, _ in channel }
  }

  /// Connects a channel to the path of a Unix socket; see ``connect(host:port:)``.
  public func connect(unixDomainSocketPath: String) -> EventLoopFuture<any Channel> {
    connect({ try SocketAddress(unixDomainSocketPath: unixDomainSocketPath) }, doNothing)
      .map { channel, _ in channel }
  }

  // MARK: Opening

  func bind<Output: Sendable>(
    _ address: () throws -> SocketAddress, _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    open(address, further) { channel, address in channel.bind(to: address) }
  }

  func connect<Output: Sendable>(
    _ address: () throws -> SocketAddress, _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    open(address, further) { channel, address in channel.connect(to: address) }
  }

  private func open<Output: Sendable>(
    _ address: () throws -> SocketAddress, _ further: @escaping ClientSetup.Initializer<Output>,
    _ begin: @escaping @Sendable (DatagramChannel, SocketAddress) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<(any Channel, Output)> {
    do {
      let address = try address()
      return open({ [subtype] in try Socket(address.protocol, .datagrams(subtype)) }, further) { channel in
        channel.register().flatMap { begin(channel, address) }
      }
    } catch { return group.next().makeFailedFuture(error) }
  }

  func takeOver<Output: Sendable>(
    _ socket: NIOBSDSocket.Handle, _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    open({ try Socket(takingOver: socket) }, further) { channel in
      let promise = channel.loop.makePromise(of: Void.self)
      channel.begin(promise)
      return promise.futureResult
    }
  }

  private func open<Output: Sendable>(
    _ makeSocket: @escaping @Sendable () throws -> Socket,
    _ further: @escaping ClientSetup.Initializer<Output>,
    _ begin: @escaping @Sendable (DatagramChannel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<(any Channel, Output)> {
    let loop = group.nextUVLoop()
    return loop.flatSubmit { [options, initializer] in
      loop.open(
        options, initializer, make: { DatagramChannel(try makeSocket(), loop) }, prepare: further,
        begin: begin)
    }
  }
}
#endif
