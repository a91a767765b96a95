#if NIO || NIOBootstraps || Everything
public import Dispatch
public import NIOCore
import Synchronization
public import UV

// Sound: `loop` and what is not behind a lock are touched on the loop's thread alone, and the executor is for
// every thread.
/// A libuv loop as an event loop of SwiftNIO.
///
/// A ``UVEventLoopGroup`` makes its own loops. For any other loop of swift-uv, such as a host's, ask the loop
/// for `loop.nio`:
///
/// ```swift
/// let loop = try EventLoop(adopting: uv_default_loop())
/// let server = UVServerBootstrap(group: loop.nio)
///   .childChannelInitializer { channel in channel.pipeline.configureHTTPServerPipeline() }
///   .bind(host: "127.0.0.1", port: 8080)
/// ```
///
/// Functions that NIO allows from any thread may be called from any thread. Handlers and futures are called
/// on the loop's thread, in between libuv's callbacks, as everything else on the loop is. So a handler may
/// also use swift-uv's own objects, which it gets from `EventLoop.current`.
///
/// The corresponding libuv type is `uv_loop_t`.
public final class UVEventLoop: NIOCore.EventLoop, @unchecked Sendable {
  /// Puts tasks on the loop's thread:
  ///
  /// ```swift
  /// Task(executorPreference: loop.taskExecutor) { try await channel.executeThenClose { … } }
  /// ```
  ///
  /// A task that runs there reads and writes through `NIOAsyncChannel` without a change of threads, and has
  /// one job for each time it waits.
  public var taskExecutor: any TaskExecutor { tasks }

  private let tasks: LoopTaskExecutor
  let loopExecutor: LoopExecutor

  let loop: UV.EventLoop
  let schedule: Schedule
  /// Every channel that isn't closed, registered or not; nil once the loop has ended.
  private let channels = Mutex<[ObjectIdentifier: SocketChannel]?>([:])
  /// Whether channels may register, and work may be scheduled. On the loop's thread.
  private(set) var isOpen: Bool
  private var voidFuture: EventLoopFuture<Void>?
  private let numbers = Atomic<UInt64>(0)
  /// The callbacks that wait for their time, also those that are on their way from another thread.
  let callbacks = Mutex<[UInt64: ScheduledWork]>([:])
  private let promises = Mutex<[_NIOEventLoopFutureIdentifier: (file: StaticString, line: UInt)]>([:])
  /// The group that the loop belongs to, which lives until it is shut down.
  let group = Mutex<UVEventLoopGroup?>(nil)
  private let name: String
  /// The memory with which datagrams are sent and received.
  private(set) lazy var datagrams = DatagramBatch()

  init(_ loop: UV.EventLoop) {
    self.loop = loop
    loopExecutor = loop.executor
    tasks = LoopTaskExecutor(loop.executor)
    name = loop.name
    schedule = Schedule(loop)
    isOpen = !loop.isClosed
    if !isOpen { channels.withLock { $0 = nil } }
  }

  /// Whether the calling thread is the loop's. After the loop has ended, it is true in the work that still
  /// comes for it.
  public var inEventLoop: Bool { loopExecutor.isRunningHere }

  /// Whether the calling thread is the loop's, and the loop is there.
  var isOnThread: Bool { loopExecutor.isOnLiveLoop }

  /// The executor that puts actors on the loop.
  public var executor: any SerialExecutor { loopExecutor }

  /// Takes a job. The Swift runtime calls this.
  public func enqueue(_ job: consuming ExecutorJob) { loopExecutor.enqueue(job) }

  // MARK: Work

  /// Runs `task` on the loop, after the callback that runs now.
  ///
  /// From one thread, tasks run in the order in which they were given. After the loop has ended, a task runs
  /// on the thread that brings it, one at a time. So the callbacks of a future are called even if the future
  /// has failed because of the end.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func execute(_ task: @escaping @Sendable () -> Void) {
    if isOnThread { return loop.queueMicrotask(task) }
    do { try loopExecutor.execute { _ in task() } } catch { loopExecutor.executeLate(task) }
  }

  /// Runs `task` on the loop and returns its value; see ``execute(_:)``. The future fails with
  /// `EventLoopError.shutdown` if the loop has ended.
  public func submit<T>(_ task: @escaping @Sendable () throws -> T) -> EventLoopFuture<T> {
    let promise = makePromise(of: T.self)
    if isOnThread {
      loop.queueMicrotask { promise.complete(task) }
    } else {
      do { try loopExecutor.execute { _ in promise.complete(task) } } catch {
        promise.fail(EventLoopError.shutdown)
      }
    }
    return promise.futureResult
  }

  /// Does what ``execute(_:)`` does, for NIO's isolated view of the loop.
  public func _executeIsolatedUnsafeUnchecked(_ task: @escaping () -> Void) {
    if isOnThread { return loop.queueMicrotask(task) }
    // Sound: the caller runs late work, which is done one at a time, and this is more of it.
    nonisolated(unsafe) let task = task
    loopExecutor.executeLate { task() }
  }

  /// Does what ``submit(_:)`` does, for NIO's isolated view of the loop.
  public func _submitIsolatedUnsafeUnchecked<T>(_ task: @escaping () throws -> T) -> EventLoopFuture<T> {
    let promise = makePromise(of: T.self)
    if isOnThread {
      loop.queueMicrotask { promise.complete(task) }
    } else {
      promise.fail(EventLoopError.shutdown)
    }
    return promise.futureResult
  }

  /// Pays from the turn's budget for bytes that a channel has sent by one call. Returns whether the channel
  /// has to wait for its next turn with the rest.
  func payForCall(_ byteCount: Int) -> Bool { loop.payForCall(byteCount) }

  /// Whether a channel has to wait for its next turn with everything.
  var hasOverdrawnTurn: Bool { loop.hasOverdrawnTurn }

  /// Pays for datagrams; see ``payForCall(_:)``.
  func payForDatagrams(_ count: Int) -> Bool { loop.payForDatagrams(count) }

  func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

  // MARK: Futures

  /// A future that has succeeded already. On the loop's thread it is always the same.
  public func makeSucceededVoidFuture() -> EventLoopFuture<Void> {
    guard isOnThread, isOpen else { return makeVoidFuture() }
    if let voidFuture { return voidFuture }
    let future = makeVoidFuture()
    voidFuture = future
    return future
  }

  private func makeVoidFuture() -> EventLoopFuture<Void> {
    let promise = makePromise(of: Void.self)
    promise.succeed(())
    return promise.futureResult
  }

  /// Stops the program with a message if the calling thread runs a loop: waiting for a future there could
  /// wait for ever.
  public func _preconditionSafeToWait(file: StaticString, line: UInt) {
    precondition(
      UV.EventLoop.current?.isRunning != true && !inEventLoop,
      "wait() on a thread that runs an event loop, which it would block; use whenComplete or get()",
      file: file,
      line: line)
  }

  /// Notes where a promise was made, in debug builds. NIO calls this.
  public func _promiseCreated(
    futureIdentifier: _NIOEventLoopFutureIdentifier, file: StaticString, line: UInt
  ) {
    promises.withLock { $0[futureIdentifier] = (file, line) }
  }

  /// Returns where a promise was made, and forgets it, in debug builds. NIO calls this.
  public func _promiseCompleted(
    futureIdentifier: _NIOEventLoopFutureIdentifier
  ) -> (file: StaticString, line: UInt)? {
    promises.withLock { $0.removeValue(forKey: futureIdentifier) }
  }

  // MARK: Channels

  /// Notes a channel that is being made, on any thread. The loop's end closes it, even if nobody comes to
  /// register it. Returns false if the loop has ended.
  func note(_ channel: SocketChannel) -> Bool {
    channels.withLock { channels in
      channels?[ObjectIdentifier(channel)] = channel
      return channels != nil
    }
  }

  /// Whether the loop has ended, and notes no channel any more. On any thread.
  var hasEnded: Bool { channels.withLock { $0 == nil } }

  /// Forgets a channel that closes.
  func forget(_ channel: SocketChannel) { channels.withLock { $0?[ObjectIdentifier(channel)] = nil } }

  private func takeChannels() -> [ObjectIdentifier: SocketChannel] { channels.withLock { $0.take() } ?? [:] }

  // MARK: Ending

  /// Closes the channels of a loop that doesn't belong to a group, and refuses further channels and scheduled
  /// work with `EventLoopError.shutdown`. The libuv loop goes on. Work that was scheduled fails.
  ///
  /// A loop of a group ends with its group: there, `callback` gets `EventLoopError.unsupportedOperation`.
  ///
  /// - Parameters:
  ///   - queue: Where `callback` is called.
  ///   - callback: Called once, with nil if the loop has been shut down.
  public func shutdownGracefully(
    queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void
  ) {
    if group.withLock({ $0 != nil }) { return queue.async { callback(EventLoopError.unsupportedOperation) } }
    let end: @Sendable () -> Void = {
      self.end()
      // The channels' last promises come first.
      self.execute { queue.async { callback(nil) } }
    }
    if inEventLoop { return end() }
    do { try loopExecutor.execute { _ in end() } } catch { queue.async { callback(nil) } }
  }

  /// Closes everything, on the loop's thread.
  func end() {
    assertInEventLoop()
    guard isOpen else { return }
    isOpen = false
    for channel in takeChannels().values {
      channel.close0(error: EventLoopError.shutdown, mode: .all, promise: nil)
    }
    schedule.end()
    voidFuture = nil
  }
}

extension UVEventLoop: LoopLocalObserver {
  package func loopEnds() { end() }
}

extension EventLoopPromise {
  /// Completes the promise with what `body` returns or throws, on its loop's thread.
  func complete(_ body: () throws -> Value) {
    // Sound: the caller is on the loop's thread.
    do { assumeIsolatedUnsafeUnchecked().succeed(try body()) } catch { fail(error) }
  }
}

extension UVEventLoop: CustomStringConvertible {
  /// The name that swift-uv's loop had when this object was made.
  public var description: String { "UVEventLoop(\(name))" }
}

extension UV.EventLoop {
  /// This loop as an event loop of SwiftNIO, always the same one. Call it on the loop's thread; other threads
  /// may use what it returns.
  ///
  /// Channels and scheduled work keep the loop running, as swift-uv's own objects do. They end with the loop,
  /// or when you shut the NIO event loop down. A loop for which this was called doesn't end by itself when
  /// the last reference to it goes: call `shutdown()`, or `detach()` on a host's loop.
  public var nio: UVEventLoop { nioLoops[self] }
}

private let nioLoops = LoopLocal { UVEventLoop($0) }
#endif
