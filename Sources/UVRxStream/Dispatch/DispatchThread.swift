import Dispatch
import Synchronization
import UV

/// A thread that does one piece of work after the other, in order.
///
/// Use it for what one thread has to use, such as a library that keeps something for each thread. For other
/// work a ``CustomQueue`` costs less: a thread has a stack, and keeps it while it waits.
///
/// The thread ends when it is cancelled. It also ends when the last reference to this object has gone and the
/// work is done that it had been given; a paused thread drops that work.
///
/// RxStream's `DispatchThread`, which isn't a `Thread` of Foundation's here.
public final class DispatchThread: Sendable {
  private let line = WorkLine()

  /// The thread's name in debuggers. Linux shows the first 15 bytes.
  public let name: String?

  /// Creates a thread.
  ///
  /// - Parameters:
  ///   - start: Whether it begins at once. Otherwise ``start()`` has it begin.
  ///   - queue: Its first pieces of work.
  ///   - name: What debuggers call it.
  public init(start: Bool = true, queue: [@Sendable () -> Void] = [], name: String? = nil) {
    self.name = name
    for work in queue { line.append(work) }
    if start { self.start() }
  }

  deinit { line.update { $0.isForsaken = true } }

  /// Whether the thread does nothing until it is resumed.
  public var paused: Bool { line.read { $0.isPaused } }

  /// Whether the thread was started.
  public var isStarted: Bool { line.read { $0.isStarted } }

  /// Whether the thread was cancelled.
  public var isCancelled: Bool { line.read { $0.isCancelled } }

  /// Starts the thread, unless that was done before. If the system has no thread left, this stops the program with
  /// a message.
  public func start() {
    let isFirst = line.update { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    do throws(UVError) {
      try PlainThread.start(name: name) { [line] in line.run() }
    } catch {
      stop("DispatchThread: \(error)")
    }
  }

  /// Has the thread do `work` after what it has been given before; ignored once it is cancelled.
  public func enqueue(_ work: @escaping @Sendable () -> Void) { line.append(work) }

  /// Has the thread do nothing after the piece of work that it is doing, until it is resumed.
  public func pause() { line.update { $0.isPaused = true } }

  /// Has the thread go on.
  public func resume() { line.update { $0.isPaused = false } }

  /// Drops the work that the thread has been given and hasn't begun.
  public func emptyQueue() { line.drop { _ in } }

  /// Ends the thread after the piece of work that it is doing, and drops the rest.
  public func cancel() { line.drop { $0.isCancelled = true } }
}

/// The work of a thread. The thread keeps this, and not the object that its users have.
private final class WorkLine: Sendable {
  struct State {
    var waiting = Queue<@Sendable () -> Void>()
    var isStarted = false
    var isPaused = false
    var isCancelled = false
    /// Nobody is left who could give it work.
    var isForsaken = false
  }

  private enum Step {
    case work(@Sendable () -> Void)
    case wait
    case end
  }

  private let state = Mutex(State())
  /// Counts the changes that the thread hasn't looked at.
  private let changes = DispatchSemaphore(value: 0)

  func read(_ body: (State) -> Bool) -> Bool { state.withLock { body($0) } }

  @discardableResult
  func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let value = state.withLock { body(&$0) }
    changes.signal()
    return value
  }

  func append(_ work: @escaping @Sendable () -> Void) {
    update { if !$0.isCancelled { $0.waiting.append(work) } }
  }

  /// Lets go of what waits, outside the lock: its closures may hold what uses this thread.
  func drop(_ body: (inout State) -> Void) {
    let dropped = update { state -> [@Sendable () -> Void] in
      body(&state)
      var dropped: [@Sendable () -> Void] = []
      while let work = state.waiting.popFirst() { dropped.append(work) }
      return dropped
    }
    _ = dropped
  }

  func run() {
    while true {
      switch next() {
      case .work(let work): work()
      case .wait: changes.wait()
      case .end: return drop { _ in }
      }
    }
  }

  private func next() -> Step {
    state.withLock { state in
      if state.isCancelled { return .end }
      if !state.isPaused, let work = state.waiting.popFirst() { return .work(work) }
      return state.isForsaken ? .end : .wait
    }
  }
}
