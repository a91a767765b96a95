import CUV

/// A libuv handle: something open on a loop that may call back many times, such as a timer or a connection.
///
/// Use a handle on its loop's thread. You may drop the last reference on any thread; that closes the handle.
/// A handle that is at work keeps itself alive until it is stopped or closed. A listener or a connection with
/// a handler is at work, and so is a timer that is started. Requests that are pending when the handle closes
/// fail with `cancelled`.
///
/// A program can't make subclasses of its own: there is no initializer for them.
///
/// The corresponding libuv type is `uv_handle_t`.
open class Handle {
  /// The loop that the handle belongs to.
  public let loop: EventLoop
  let block: HandleBlock

  /// Allocates and initializes the libuv handle; a failure leaves nothing behind.
  init(loop: EventLoop, size: Int, _ operation: String, _ initialize: (UnsafeMutableRawPointer) -> Int32)
    throws(UVError)
  {
    loop.requireOnLoop("a new handle of an event loop")
    self.loop = loop
    block = HandleBlock(size: size, loop: loop)
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : initialize(block.raw)
    if code < 0 {
      // Not on the loop's list yet: there is nothing for libuv to close.
      block.header.pointee.isClosed = true
      throw failure(code, operation)
    }
    cuv_handle_set_data(block.raw, Unmanaged.passUnretained(self).toOpaque())
    loop.link(block)
  }

  deinit {
    if loop.executor.isOnLoop { block.abandon() } else { loop.executor.release(block) }
  }

  /// Closes the handle. Its pending requests fail with `cancelled`. A request for the next element of a
  /// listener, a UDP socket or a watcher gets nil, which is the end of that source. Calling this function
  /// again does nothing more.
  ///
  /// Closing starts at once, even if you ignore the request. Use the request to wait until the handle is
  /// closed.
  ///
  /// - Returns: A request that succeeds when libuv has let go of the handle and its descriptor is closed.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func close() -> Request<Void> {
    startClosing()
    return Request(of: loop) { [self] in close($0) }
  }

  /// Closes the handle without regard to the peer, when the time limit of a graceful shutdown is reached.
  package func cutOff() { close() }

  /// Closes the handle; see ``close()``.
  ///
  /// - Parameter done: Called on the loop's thread when the handle is closed, even if it was closed before
  ///   this call.
  /// - Returns: A pending request that can't be cancelled.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func close(_ done: @escaping Completion<Void>) -> PendingRequest {
    startClosing()
    if block.header.pointee.isClosed {
      loop.complete(done, .close)
    } else {
      closeWaiters.append(done)
    }
    return PendingRequest()
  }

  private var closeWaiters: [Completion<Void>] = []

  func startClosing() {
    loop.requireOnLoop("close()")
    guard !block.header.pointee.isClosed else { return }
    // This is done even if the loop is closing the handle already. The loop doesn't retain an owner that
    // nothing waited for, but now something may wait.
    keepAlive(.closing)
    if !block.header.pointee.isClosing { startUVClose() }
  }

  /// Hands the handle to libuv's close; a subclass with another way to close overrides it.
  func startUVClose() { block.close() }

  /// Called once when libuv has let go of the handle, so that a subclass ends what is still pending.
  func didClose() {
    let waiters = closeWaiters
    closeWaiters = []
    for done in waiters { done(.success(())) }
  }

  /// Whether somebody waits for the handle's next element. A handle that is a source overrides it.
  var isAwaited: Bool { false }

  /// How many bytes have been reported as on their way, and the system hasn't taken.
  var queuedByteCount: Int { 0 }

  /// Called when connections may wait on a listening socket. A listener overrides it.
  func connectionsArrived() {}

  /// How many connections a listener keeps for a reader who is busy while its loop's service ends.
  var leftCount: Int { 0 }

  /// Ends a listener that keeps connections for a reader, who hasn't asked for them in time.
  func endListening() {}

  /// Called when an accepted connection of the loop has closed. A listener without room overrides it.
  func connectionClosed() {}

  /// Why libuv may call the handle.
  struct Activity: OptionSet {
    let rawValue: UInt16
    static let source = Activity(rawValue: 1)
    static let writing = Activity(rawValue: 2)
    static let shutdown = Activity(rawValue: 4)
    static let closing = Activity(rawValue: 8)
    static let timer = Activity(rawValue: 16)
    static let process = Activity(rawValue: 32)
    static let batch = Activity(rawValue: 64)
    static let callback = Activity(rawValue: 128)
    static let frames = Activity(rawValue: 256)
    static let quiescing = Activity(rawValue: 512)
    static let filter = Activity(rawValue: 1024)
    /// The filter has read enough. Reading goes on until the end of the callback, in which a reader may ask.
    static let filterEnding = Activity(rawValue: 2048)
    /// Reading rests until the peer has taken what the filter has to say.
    static let filterResting = Activity(rawValue: 4096)
    /// Its reader waits for it to become useless, and for nothing that the peer owes.
    static let idling = Activity(rawValue: 8192)
  }

  /// The part that a handle plays in a graceful shutdown of its loop.
  enum Role: UInt8 {
    case other
    /// A listener, which is closed at once so that no new peer comes.
    case listener
    /// A connection that came through a listener, and gets time to end.
    case accepted
    /// A stream over a file. libuv doesn't know it.
    case file
    /// A child process, which libuv may know as a poll; see `cuv_child`.
    case child
    /// A watcher of a directory and all below it, which libuv knows as a poll.
    case tree
  }

  /// Notes the handle's role. Called once, while the handle is open.
  func take(role: Role) {
    loop.assertOnLoop()
    assert(block.header.pointee.role == .other && !isClosing, "a handle plays one part")
    block.header.pointee.role = role
    if role == .accepted { loop.openHandles.acceptedCount += 1 }
  }

  /// Notes that libuv may call the handle while nothing retains its owner.
  func isActiveWhileIdle() { block.keep(IdleOwner(self)) }

  /// Closes a listener so that its readers see the end, not an error. It calls
  /// ``EventLoop/didStopListening()`` once, now or later.
  func stopListening() {
    startClosing()
    loop.didStopListening()
  }

  /// Called when the loop's service begins to end, on an accepted connection that keeps itself alive.
  func serviceEnds() {}

  /// Makes the handle its own owner while it is active.
  @inline(__always)
  func keepAlive(_ activity: Activity) {
    loop.assertOnLoop()
    block.header.pointee.activity.insert(activity)
    if block.header.pointee.retainedOwner == nil { block.header.pointee.retainedOwner = .passRetained(self) }
  }

  /// Ends one reason for the handle to keep itself alive. The handle may be gone afterwards, unless the
  /// caller holds it.
  @inline(__always)
  func letGo(_ activity: Activity) {
    loop.assertOnLoop()
    block.header.pointee.activity.remove(activity)
    guard block.header.pointee.activity.isEmpty, let owner = block.header.pointee.retainedOwner else {
      return
    }
    block.header.pointee.retainedOwner = nil
    owner.release()
  }

  /// Throws if the handle is closed or closing.
  @inline(__always)
  func checkOpen(_ operation: @autoclosure () -> String) throws(UVError) {
    loop.assertOnLoop()
    if isClosing { throw closedError(operation()) }
  }

  @inline(never)
  func closedError(_ operation: String) -> UVError {
    UVError(loop.isClosed ? .loopClosed : .badDescriptor, operation: operation)
  }

  /// Whether the handle is closing or closed.
  ///
  /// The corresponding libuv function is `uv_is_closing`.
  public var isClosing: Bool { block.isClosing }

  /// Whether the handle is doing something: for example, a timer is started, or a connection is reading or
  /// writing.
  ///
  /// The corresponding libuv function is `uv_is_active`.
  public var isActive: Bool {
    loop.assertOnLoop()
    return !block.header.pointee.isClosed && (block.listenerPoll != nil || uv_is_active(block.handle) != 0)
  }

  /// Whether the handle keeps its loop running while it is active.
  ///
  /// It is true by default, except for a ``SignalWatcher``, a ``FileWatcher`` and a ``FileStatusWatcher``.
  /// Until you set this property, a watcher of these three types keeps the loop running only while somebody
  /// asks for its elements. A value that you set stays, for every kind of handle. A closed handle returns
  /// false and ignores a new value.
  ///
  /// The corresponding libuv functions are `uv_has_ref`, `uv_ref` and `uv_unref`.
  public var keepsLoopRunning: Bool {
    get {
      loop.assertOnLoop()
      if let poll = block.listenerPoll { return poll.isKeepingLoop }
      return !block.header.pointee.isClosed && uv_has_ref(block.handle) != 0
    }
    set {
      loop.requireOnLoop()
      guard !block.header.pointee.isClosed else { return }
      block.header.pointee.isKeepingChosen = true
      if let poll = block.listenerPoll { return poll.keepRunning(newValue) }
      if newValue { uv_ref(block.handle) } else { uv_unref(block.handle) }
    }
  }

  /// Keeps the loop running while somebody asks, for a handle that is active all the time. Does nothing if
  /// the program has set `keepsLoopRunning`.
  func keepLoopRunning(whileAsked isAsked: Bool) {
    loop.assertOnLoop()
    if block.header.pointee.isKeepingChosen { return }
    if isAsked { uv_ref(block.handle) } else { uv_unref(block.handle) }
  }

  /// The handle's file descriptor, for reading or setting socket options. It still belongs to the handle, so
  /// don't close it.
  ///
  /// - Throws: `badDescriptor` if the handle has none, or is closed.
  ///
  /// The corresponding libuv function is `uv_fileno`.
  public func fileDescriptor() throws(UVError) -> Int32 {
    try checkOpen("fileno")
    var descriptor: uv_os_fd_t = -1
    try check(uv_fileno(block.handle, &descriptor), "fileno")
    return descriptor
  }
}

/// The owner of a libuv handle that is active as soon as it is made, such as a listener; nil if the owner has
/// gone. Sound: ``Handle/isActiveWhileIdle()`` has been called, which is what the sidecar is for.
func idleOwner<Owner: Handle>(of handle: UnsafeMutableRawPointer, as _: Owner.Type) -> Owner? {
  guard let sidecar = HandleBlock(of: cuv_handle(handle)).header.pointee.sidecar else { return nil }
  let owner = unsafeDowncast(sidecar.takeUnretainedValue(), to: IdleOwner.self).owner
  return owner.map { unsafeDowncast($0, to: Owner.self) }
}

/// Calls `body` with the loop of a libuv handle, without retaining the loop. Sound: a loop outlives its
/// handles.
@inline(__always)
func withLoop(of handle: UnsafeMutablePointer<uv_handle_t>, _ body: (EventLoop) -> Void) {
  Unmanaged.passUnretained(HandleBlock(of: handle).header.pointee.loop)._withUnsafeGuaranteedRef {
    $0.assertOnLoop()
    body($0)
  }
}

/// Calls `body` with the owner of a libuv handle, without retaining the owner. Sound: a handle that libuv may
/// call retains itself, and does so until `body` has returned.
@inline(__always)
func withOwner<Owner: Handle>(of handle: UnsafeRawPointer, as _: Owner.Type, _ body: (Owner) -> Void) {
  assertOwner(of: handle, is: Owner.self)
  Unmanaged<Owner>.fromOpaque(cuv_handle_data(handle)!)._withUnsafeGuaranteedRef(body)
}

/// Stops a debug build if a libuv handle that calls back belongs to an object of another type, or keeps no
/// owner alive.
@inline(__always)
private func assertOwner<Owner: Handle>(of handle: UnsafeRawPointer, is _: Owner.Type) {
  assert(
    Unmanaged<Handle>.fromOpaque(cuv_handle_data(handle)!)._withUnsafeGuaranteedRef {
      $0 is Owner && $0.block.header.pointee.retainedOwner != nil
    },
    "libuv calls a handle whose owner is of another type or may be gone")
}

/// The owner of a libuv handle. Sound: a handle that libuv may call retains itself.
@inline(__always)
func owner<Owner: Handle>(of handle: UnsafeRawPointer, as _: Owner.Type) -> Owner {
  assertOwner(of: handle, is: Owner.self)
  return unsafeDowncast(
    Unmanaged<Handle>.fromOpaque(cuv_handle_data(handle)!).takeUnretainedValue(), to: Owner.self)
}
