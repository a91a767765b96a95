import UV

/// A value or an error that arrives once, from work that starts when the future is created.
///
/// A future is eager: its task runs once, when the future is created. Each operator attaches at once and
/// returns another future; a caller doesn't need to keep it. A handler that is attached late hears the result
/// in the loop's next microtask, or at once by ``replay()``.
///
/// ```swift
/// func answer() -> Future<Int, Never> {
///   Future { completion in loop.sleep(for: .seconds(1)) { _ in completion(.success(42)) } }
/// }
/// answer().map { $0 * 2 }.on { print($0) }
/// ```
///
/// A future that is created on a loop delivers on that loop, whichever thread calls the completion. The loop
/// keeps running until the completion is called or its last copy is released. A future that is created
/// outside a loop may be completed by any thread, and delivers on the thread that completes it.
///
/// RxStream's `Future`.
public class Future<Output, Failure: Error>: StreamFuture {
  /// The argument of a future's task: call it once with the result; further calls do nothing.
  public typealias Promise = (Result<Output, Failure>) -> Void

  typealias Branch = (Settlement<Output, Failure>) -> Void

  /// How the future ended, nil until then.
  @exclusivity(unchecked) private(set) final var outcome: Settlement<Output, Failure>?
  /// The branches of this future, and where it comes from.
  final let node = StreamNode<Output, Failure>()
  /// The gate that everything goes through where there is no loop: a future that is made outside one may be
  /// completed and attached to by any thread. Nil on a loop, and where somebody in this module settles it.
  @exclusivity(unchecked) final var gate: Gate?
  @exclusivity(unchecked) @usableFromInline package final var waitingPlace: Int32 = -1
  /// Starts work that waits for somebody to attach.
  @exclusivity(unchecked) final var startWork: (() -> Void)?

  /// This future.
  public final var asFuture: Future<Output, Failure> { self }

  /// A future that somebody else settles.
  init() {}

  /// Creates a future and runs `task` at once.
  ///
  /// - Parameter task: Starts the work and has its argument called with the result, at once or later, on any
  ///   thread. If that is never called, the chain hears nothing, and is released with its last copy.
  ///
  /// The compiler does not check that a result which is not `Sendable` is given up by the thread that calls;
  /// that of ``FutureCompletion`` does.
  public convenience init(_ task: (@escaping Promise) -> Void) {
    self.init(start: { task($0) })
  }

  /// The completion may be called by any thread in any case. Whether the compiler lets one be captured there is
  /// up to the initializers.
  init(start: (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    guard let loop = EventLoop.current else {
      gate = Gate()
      // Sound: touched inside the gate.
      let transfer = UnsafeTransfer(self)
      start { transfer.value.settleThroughGate(Settlement($0)) }
      return
    }
    let completion = FutureCompletion(loop, self)
    start { completion.resolve($0) }
  }

  /// Creates a future on the current loop and runs `task` at once, where `dispatch` says.
  ///
  /// - Parameters:
  ///   - dispatch: Where `task` runs.
  ///   - task: Gets what to call with the result, from any thread; further calls do nothing.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  public convenience init(
    dispatch: Dispatch, task: @escaping @Sendable (FutureCompletion<Output, Failure>) -> Void
  ) {
    self.init()
    let completion = FutureCompletion(.needed(for: "Future(dispatch:task:)"), self)
    dispatch.run { task(completion) }
  }

  deinit { node.abandon() }

  /// Decides the future, unless that has been done, and delivers.
  final func settle(_ settlement: Settlement<Output, Failure>) {
    assertOnLoop()
    guard outcome == nil else { return }
    outcome = settlement
    startWork = nil
    node.fulfill(settlement)
  }

  /// Settles the future, from any thread, where it was made outside a loop.
  final func settleThroughGate(_ settlement: Settlement<Output, Failure>) {
    guard let gate else { return settle(settlement) }
    gate.run { [self] in settle(settlement) }
  }

  /// A future that `body` settles once this one is.
  final func derive<T, E: Error>(
    _ body: @escaping (Settlement<Output, Failure>, Future<T, E>) -> Void
  ) -> Future<T, E> {
    derive(into: Future<T, E>(), body)
  }

  /// Has `body` settle `child` once this future is.
  @discardableResult
  final func derive<T, E: Error, Child: Future<T, E>>(
    into child: Child, _ body: @escaping (Settlement<Output, Failure>, Child) -> Void
  ) -> Child {
    child.gate = gate
    attach({ body($0, child) }, for: child.node)
    return child
  }

  /// Calls `branch` with the result: when it comes, or soon if it is there.
  final func attach(_ branch: @escaping Branch, for child: any StreamChild) {
    if let gate {
      gate.run { [self] in attachNow(branch, for: child) }
    } else {
      attachNow(branch, for: child)
    }
  }

  #if DEBUG
  /// The loop on which the future was made, if any.
  private let home = EventLoop.current?.executor
  #endif

  /// Stops a debug build if the calling thread isn't that of the loop on which the future was made.
  final func assertOnLoop() {
    #if DEBUG
    home?.assertOnLoop("a future of an event loop")
    #endif
  }

  private func attachNow(_ branch: @escaping Branch, for child: any StreamChild) {
    assertOnLoop()
    guard let outcome else {
      child.derive(from: node)
      node.branches.append(branch)
      startWork.take()?()
      return
    }
    guard node.canReplay else { return }
    let replay = Replay { Propagation.run { branch(outcome) } }
    child.replay = replay.after(child.replay)
    EventLoop.needed(for: "attaching to a completed future").queueMicrotask { replay.run() }
  }
}

extension Future where Output: Sendable {
  /// Creates a future and runs `task` at once. Its argument can be captured by the completion handler of work
  /// on another thread:
  ///
  /// ```swift
  /// Future<Int, Never> { completion in
  ///   DispatchQueue.global().async { completion(.success(compute())) }
  /// }
  /// ```
  ///
  /// - Parameter task: Starts the work and has its argument called with the result, at once or later, on any
  ///   thread. If that is never called, the chain hears nothing, and is released with its last copy.
  public convenience init(_ task: (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    self.init(start: task)
  }
}
