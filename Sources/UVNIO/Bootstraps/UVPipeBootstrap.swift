#if NIO || NIOBootstraps || Everything
public import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// Makes channels over descriptors that exist: pipes, terminals, serial lines.
///
/// ```swift
/// let channel = try await UVPipeBootstrap(group: group)
///   .channelInitializer { channel in channel.pipeline.addHandler(Lines()) }
///   .takingOwnershipOfDescriptors(input: STDIN_FILENO, output: STDOUT_FILENO).get()
/// ```
///
/// A channel reads from one descriptor and writes to another. It makes both non-blocking, and closes them.
/// With only one of them, the other direction is closed from the beginning: handlers get
/// `ChannelEvent.inputClosed` or `outputClosed`. Files aren't accepted: the system can't say when they are
/// ready.
///
/// It takes the place of NIO's `NIOPipeBootstrap`, whose functions it has. It is a value: each function
/// returns a changed copy.
///
/// The corresponding libuv function is `uv_pipe_open`.
public struct UVPipeBootstrap: Sendable {
  private let group: any EventLoopGroup
  private var options = ChannelOptions.Storage()
  private var initializer: UVServerBootstrap.Initializer?

  /// Creates a bootstrap.
  ///
  /// - Parameter group: Where the channels live: a ``UVEventLoopGroup``, or a ``UVEventLoop``. A group of
  ///   another kind stops the program with a message.
  public init(group: any EventLoopGroup) {
    group.requireUV()
    self.group = group
  }

  /// Sets what is called with a channel before it is registered.
  public func channelInitializer(
    _ handler: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> Self {
    var copy = self
    copy.initializer = handler
    return copy
  }

  /// Sets an option of the channel. An option that it doesn't have makes taking the descriptors fail with
  /// `ChannelError.operationUnsupported`.
  public func channelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self {
    var copy = self
    copy.options.append(key: option, value: value)
    return copy
  }

  // MARK: Taking descriptors

  /// Makes a channel that reads from one descriptor and writes to another.
  ///
  /// - Parameters:
  ///   - input: What it reads from. It isn't the same as `output`.
  ///   - output: What it writes to.
  /// - Returns: The channel once it is active, on its loop. The future fails with
  ///   `ChannelError.operationUnsupported` for a file, with an `IOError` such as `EBADF`, and with what the
  ///   initializer fails with. The descriptors are still the caller's if they aren't accepted, and are closed
  ///   if a later step fails.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func takingOwnershipOfDescriptors(input: CInt, output: CInt) -> EventLoopFuture<any Channel> {
    open(input, output, doNothing).map { channel, _ in channel }
  }

  /// Makes a channel that reads from a descriptor and writes to it, such as a serial line; see
  /// ``takingOwnershipOfDescriptors(input:output:)``.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func takingOwnershipOfDescriptor(inputOutput: CInt) -> EventLoopFuture<any Channel> {
    openBoth(inputOutput, doNothing).map { channel, _ in channel }
  }

  /// Makes a channel that reads from a descriptor; see ``takingOwnershipOfDescriptors(input:output:)``.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func takingOwnershipOfDescriptor(input: CInt) -> EventLoopFuture<any Channel> {
    open(input, nil, doNothing).map { channel, _ in channel }
  }

  /// Makes a channel that writes to a descriptor; see ``takingOwnershipOfDescriptors(input:output:)``.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func takingOwnershipOfDescriptor(output: CInt) -> EventLoopFuture<any Channel> {
    open(nil, output, doNothing).map { channel, _ in channel }
  }

  // MARK: Taking descriptors, for tasks

  /// Makes a channel that reads from one descriptor and writes to another; see
  /// ``takingOwnershipOfDescriptors(input:output:)``.
  ///
  /// - Parameters:
  ///   - input: What it reads from.
  ///   - output: What it writes to.
  ///   - channelInitializer: Called with the channel, on its loop, after the bootstrap's own initializer.
  /// - Returns: What the future of `channelInitializer` has, such as a `NIOAsyncChannel`.
  public func takingOwnershipOfDescriptors<Output: Sendable>(
    input: CInt, output: CInt,
    channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await open(input, output, channelInitializer).made()
  }

  /// Makes a channel that reads from a descriptor and writes to it; see
  /// ``takingOwnershipOfDescriptors(input:output:channelInitializer:)``.
  public func takingOwnershipOfDescriptor<Output: Sendable>(
    inputOutput: CInt, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await openBoth(inputOutput, channelInitializer).made()
  }

  /// Makes a channel that reads from a descriptor; see
  /// ``takingOwnershipOfDescriptors(input:output:channelInitializer:)``.
  public func takingOwnershipOfDescriptor<Output: Sendable>(
    input: CInt, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await open(input, nil, channelInitializer).made()
  }

  /// Makes a channel that writes to a descriptor; see
  /// ``takingOwnershipOfDescriptors(input:output:channelInitializer:)``.
  public func takingOwnershipOfDescriptor<Output: Sendable>(
    output: CInt, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output {
    try await open(nil, output, channelInitializer).made()
  }

  // MARK: Opening

  private func open<Output: Sendable>(
    _ input: CInt?, _ output: CInt?, _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    precondition(
      input != output, "a pipe's channel needs two descriptors; use takingOwnershipOfDescriptor(inputOutput:)"
    )
    return open({ (try input.map(Self.adopt), try output.map(Self.adopt)) }, further)
  }

  /// The two directions of one descriptor. libuv needs a descriptor for each.
  private func openBoth<Output: Sendable>(
    _ descriptor: CInt, _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    open(
      {
        let input = try Self.adopt(descriptor)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw Socket.error("dup") }
        return (input, try Socket(takingOver: copy))
      }, further)
  }

  private func open<Output: Sendable>(
    _ ends: @escaping @Sendable () throws -> (input: Socket?, output: Socket?),
    _ further: @escaping ClientSetup.Initializer<Output>
  ) -> EventLoopFuture<(any Channel, Output)> {
    let loop = group.nextUVLoop()
    return loop.flatSubmit { [options, initializer] in
      loop.open(
        options, initializer,
        make: {
          let ends = try ends()
          return PipeChannel(input: ends.input, output: ends.output, loop)
        }, prepare: further, begin: { (channel: PipeChannel) in channel.begin() })
    }
  }

  private static func adopt(_ descriptor: CInt) throws -> Socket {
    var status = stat()
    if fstat(descriptor, &status) < 0 { throw Socket.error("fstat") }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR, S_IFLNK, S_IFBLK: throw ChannelError.operationUnsupported
    default: return try Socket(takingOver: descriptor)
    }
  }
}
#endif
