#if NIO || NIOBootstraps || Everything
import NIOCore
import Synchronization
import UV

/// The base of all channels: the life of a channel, its socket and the poll of it, and reading.
///
/// The life of a channel: `fresh`, then `registered` on its loop, `active` once it listens or is connected,
/// and `closed`. Handlers are notified of each change. That runs code of theirs, which may close the
/// channel at once; so each step looks at the state again after the one before. `activating` is the time in
/// which the promise of the activation is completed: a channel that is closed then was never active for its
/// handlers, and they hear of neither.
// Sound: everything that changes is touched on the loop's thread, or is atomic, or is behind a lock.
class SocketChannel: Channel, ChannelCore, DescriptorPollOwner, @unchecked Sendable {
  let loop: UVEventLoop
  /// The descriptor. A pipe has two; this is the input while it is open, and then the output.
  // Sound: touched on the loop's thread alone, and no access lasts while other code runs. It changes at most
  // once.
  @exclusivity(unchecked) final var socket: Socket
  let parent: (any Channel)?
  private(set) var state = State.fresh {
    didSet { assert(oldValue.mayBecome(state), "a channel that is \(oldValue) becomes \(state)") }
  }
  private let activity = Atomic(false)
  private let closePromise: EventLoopPromise<Void>
  // Set once, in the initializer, since a pipeline needs its channel.
  private var madePipeline: ChannelPipeline!
  var pendingConnect: EventLoopPromise<Void>?

  private var poll: DescriptorPoll?
  var polling = Polling.none {
    didSet { assert(oldValue.mayBecome(polling), "a poll that is \(oldValue) becomes \(polling)") }
  }
  /// The events that the poll watches for. `readable` may stay although nobody wants to read any more, until
  /// something comes: to stop watching and to begin again would cost two system calls each.
  var interest: PollEvents = []
  var flushing = Flushing.no

  @exclusivity(unchecked) final var reading = Reading.idle
  /// An option, whatever the channel is doing.
  var autoRead = true
  var maxMessagesPerRead: UInt = 4
  // Sound: as above.
  @exclusivity(unchecked) final var receiver: NIOPooledRecvBufferAllocator
  /// The loop thread's copy of what is behind the lock.
  private(set) var bufferAllocator = ByteBufferAllocator()
  private let shared = Mutex(Shared())
  /// Whether the loop's end closes the channel. False only if the loop had ended before.
  private(set) final var isNoted = false

  private struct Shared {
    var allocator = ByteBufferAllocator()
    var local: NIOCore.SocketAddress?
    var remote: NIOCore.SocketAddress?
  }

  init(_ socket: Socket, _ loop: UVEventLoop, parent: (any Channel)?, peer: NIOCore.SocketAddress? = nil) {
    self.socket = socket
    self.loop = loop
    self.parent = parent
    closePromise = loop.makePromise()
    receiver = NIOPooledRecvBufferAllocator(capacity: 4, recvAllocator: AdaptiveRecvByteBufferAllocator())
    madePipeline = ChannelPipeline(channel: self)
    if let local = try? socket.localAddress() { shared.withLock { ($0.local, $0.remote) = (local, peer) } }
    isNoted = loop.note(self)
  }

  // MARK: What a subclass does

  /// Reads from the socket, notifies the handlers, and returns whether there was something. Throws `eof`
  /// at the end.
  func readFromSocket() throws -> Bool { throw ChannelError.operationUnsupported }

  /// Sends what has been flushed, while the channel has the turn. Returns false if the system has no room for
  /// the rest.
  func writeToSocket() throws -> Bool { true }

  var hasFlushedWrites: Bool { false }
  func markFlush() {}
  func add(_ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
    promise?.fail(ChannelError.operationUnsupported)
  }
  func failWrites(_ error: any Error) {}
  /// Does what was asked for before the channel was active.
  func didBecomeActive() {}

  /// Whether the end of what the peer sends is delivered, and nothing more.
  var isInputClosed: Bool { false }
  var allowsHalfClosure: Bool { false }
  /// Whether the peer's end is to be noticed although nobody reads.
  var noticesEnd: Bool { true }
  /// Whether the loss of the connection is to be noticed although nothing else is.
  var noticesLoss: Bool { false }
  /// Whether an error that the system reports on the socket is that of a datagram, and doesn't end the
  /// channel.
  var outlivesErrors: Bool { false }

  /// Whether an error of reading ends the channel. Otherwise the subclass has seen to what happens next.
  func endsChannel(_ error: any Error) -> Bool { true }

  // A pipe has two descriptors, and does these otherwise.

  /// Makes what watches the descriptor, for nothing yet.
  func startPolling() throws(UVError) {
    poll = try DescriptorPoll(loop.loop, descriptor: socket.descriptor, owner: self)
  }

  func watch(for events: PollEvents) throws(UVError) { try poll?.watch(for: events) }

  func stopPolling() { poll.take()?.end() }

  /// Gives the descriptor back to the system.
  func discardDescriptor() throws { try socket.discard() }

  func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    try setBase(option, value)
  }
  func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value { try getBase(option) }

  func bind0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    promise.complete {
      try socket.assign(address)
      updateAddresses()
    }
  }

  func connect0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
    promise.fail(.operationUnsupported)
  }

  /// Closes the channel, or a side of it that the subclass knows.
  func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.alreadyClosed) }
    guard mode == .all else { return promise.fail(.operationUnsupported) }
    closeAll(error, promise)
  }

  func channelRead0(_ data: NIOAny) {}

  /// The end of the pipeline: an error that no handler has taken.
  func errorCaught0(error: any Error) {}

  func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
    promise.fail(.operationUnsupported)
  }

  // MARK: What any thread may ask

  final var eventLoop: any NIOCore.EventLoop { loop }
  final var pipeline: ChannelPipeline { madePipeline }
  final var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
  final var isActive: Bool { activity.load(ordering: .relaxed) }
  var isWritable: Bool { true }
  final var _channelCore: any ChannelCore { self }
  final var localAddress: NIOCore.SocketAddress? { shared.withLock { $0.local } }
  final var remoteAddress: NIOCore.SocketAddress? { shared.withLock { $0.remote } }
  final var allocator: ByteBufferAllocator {
    loop.inEventLoop ? bufferAllocator : shared.withLock { $0.allocator }
  }

  final func setAllocator(_ allocator: ByteBufferAllocator) {
    loop.assertInEventLoop()
    bufferAllocator = allocator
    shared.withLock { $0.allocator = allocator }
  }

  final func updateAddresses() {
    loop.assertInEventLoop()
    let (local, remote) = (try? socket.localAddress(), try? socket.remoteAddress())
    shared.withLock { ($0.local, $0.remote) = (local, remote) }
  }

  final func localAddress0() throws -> NIOCore.SocketAddress {
    loop.assertInEventLoop()
    guard isOpen else { throw ChannelError.ioOnClosedChannel }
    return try socket.localAddress()
  }

  final func remoteAddress0() throws -> NIOCore.SocketAddress {
    loop.assertInEventLoop()
    guard isOpen else { throw ChannelError.ioOnClosedChannel }
    return try socket.remoteAddress()
  }

  // MARK: Life

  final var isOpen: Bool { state != .closed }
  final var isRegistered: Bool { state != .fresh && state != .closed }
  /// Whether bytes may come and go.
  final var isLive: Bool { state == .activating || state == .active }

  final func register0(promise: EventLoopPromise<Void>?) {
    loop.assertInEventLoop()
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    guard state == .fresh else { return promise.fail(.inappropriateOperationForState) }
    guard loop.isOpen else {
      pipeline.syncOperations.fireErrorCaught(EventLoopError.shutdown)
      close0(error: EventLoopError.shutdown, mode: .all, promise: nil)
      promise?.fail(EventLoopError.shutdown)
      return
    }
    state = .registered
    // Until it closes, since libuv doesn't count a channel that rests.
    loop.loop.beginWork()
    promise?.succeed(())
    if isOpen { pipeline.syncOperations.fireChannelRegistered() }
  }

  final func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) {
    register0(promise: nil)
    guard state == .registered else { return promise.fail(.ioOnClosedChannel) }
    becomeActive(promise)
  }

  /// Has the poll made, which watches for nothing yet. Closes the channel if that isn't possible.
  final func makePoll(_ promise: EventLoopPromise<Void>? = nil) -> Bool {
    loop.assertInEventLoop()
    switch polling {
    case .whole, .withoutLoss: return true
    case .ended:
      promise.fail(.ioOnClosedChannel)
      return false
    case .none:
      do { try startPolling() } catch {
        pollFailed(error, promise)
        return false
      }
      polling = .whole
      return true
    }
  }

  final func becomeActive(_ promise: EventLoopPromise<Void>?) {
    guard makePoll(promise) else { return }
    assert(state == .registered, "a channel becomes active once, after it was registered")
    state = .activating
    activity.store(true, ordering: .relaxed)
    promise?.succeed(())
    guard state == .activating else { return }
    state = .active
    pipeline.syncOperations.fireChannelActive()
    guard isOpen else { return }
    // A handler may have asked before.
    interest.set(.readable, reading.isAsked)
    interest.set(.disconnect, noticesEnd)
    flushNow()
    didBecomeActive()
    readIfNeeded()
    updatePoll()
  }

  private func closeAll(_ error: any Error, _ promise: EventLoopPromise<Void>?) {
    loop.assertInEventLoop()
    let before = state
    assert(before != .closed, "a channel closes once")
    // First, so that nothing is reported of the descriptor's next owner.
    stopPolling()
    polling = .ended
    var failure: (any Error)?
    do { try discardDescriptor() } catch { failure = error }
    state = .closed
    activity.store(false, ordering: .relaxed)
    loop.forget(self)
    if before != .fresh { loop.loop.endWork() }
    failWrites(error)
    pendingConnect.take()?.fail(error)
    if let failure { promise?.fail(failure) } else { promise?.succeed(()) }
    if before == .active { pipeline.syncOperations.fireChannelInactive() }
    if before != .fresh { pipeline.syncOperations.fireChannelUnregistered() }
    loop.execute { [self] in
      removeHandlers(pipeline: pipeline)
      closePromise.succeed(())
      shared.withLock { ($0.local, $0.remote) = (nil, nil) }
    }
  }

  /// The libuv loop has ended before the channel.
  final func pollWasClosed() {
    loop.assertInEventLoop()
    poll = nil
    if isOpen { close0(error: EventLoopError.shutdown, mode: .all, promise: nil) }
  }

  // MARK: Connecting

  /// The connection is there, or has failed.
  func finishConnecting() {
    loop.assertInEventLoop()
    guard let promise = pendingConnect else { return }
    let code = socket.takeError()
    if code != 0 { return close0(error: Socket.error("connect", code), mode: .all, promise: nil) }
    pendingConnect = nil
    interest.remove(.writable)
    updateAddresses()
    becomeActive(promise)
  }
}

extension PollEvents {
  mutating func set(_ event: PollEvents, _ isIncluded: Bool) {
    if isIncluded { insert(event) } else { remove(event) }
  }
}

extension Optional where Wrapped == EventLoopPromise<Void> {
  func fail(_ error: ChannelError) { self?.fail(error) }

  /// Completes the promise, if there is one, by the outcome of `body`.
  func complete(_ body: () throws -> Void) {
    do {
      try body()
      self?.succeed(())
    } catch { self?.fail(error) }
  }
}
#endif
