import UV

/// A stream of many values that flows whether or not somebody listens.
///
/// Operators on a future return a stream where one value becomes many. Each operator attaches at once.
///
/// A stream has two kinds of errors: it continues after the first kind, and ends with the second.
/// ``HotStream/onError(_:)`` receives both.
///
/// A stream belongs to the loop on which it is created, and calls handlers there. It keeps its operators and
/// handlers until it ends or is released.
///
/// RxStream's `Hot`.
public class Hot<Output, Failure: Error>: HotStream {
  /// Somebody who listens; says whether it goes on doing so.
  final class Branch {
    let handle: (StreamEvent<Output, Failure>) -> Bool
    init(_ handle: @escaping (StreamEvent<Output, Failure>) -> Bool) { self.handle = handle }
  }

  private var branches: [Branch] = []
  private var last: Output?
  private(set) final var canReplay = true
  /// The gate that everything goes through where there is no loop: such a stream is fed, and its operations answer,
  /// on any thread. Nil on a loop.
  final var gate: Gate?
  /// Has what this stream was derived from deliver its last value here.
  final var replayFromParent: (() -> Void)?
  private var name: String?
  private var debugHandlers: [(String) -> Void] = []
  /// Lets events in to this stream's operation, or to the stream itself where it has none.
  private final var throttling: ThrottledEntry?
  /// The throttle of the next operation.
  private final var nextThrottle: (any Throttle)?
  /// The stream itself, while it keeps itself.
  private var itself: Hot?

  /// How the stream ended, nil while it flows.
  ///
  /// RxStream's `state`.
  public private(set) final var termination: Termination<Failure>?

  init() {}

  /// A stream that has a value to replay already.
  init(last: Output) { self.last = last }

  /// This stream.
  public final var asHot: Hot<Output, Failure> { self }

  /// Whether the stream may still deliver, or how it ended.
  public final var state: StreamState<Failure> { termination.map { .terminated(reason: $0) } ?? .active }

  /// Whether the stream may still deliver.
  public final var isActive: Bool { termination == nil }

  // MARK: Delivering

  /// Has `work` deal with an event of the stream above, as the throttle allows.
  final func take<T>(
    _ event: StreamEvent<T, Failure>, _ work: @escaping (@escaping WorkCompletion) -> Void
  ) {
    if let throttling { throttling.take(event, work) } else { work {} }
  }

  /// Delivers an event from outside, as the throttle allows.
  final func receiveThrottled(_ event: StreamEvent<Output, Failure>) {
    guard let throttling else { return receive(event) }
    throttling.take(event) { [self] done in
      receive(event)
      done()
    }
  }

  final func receive(_ event: StreamEvent<Output, Failure>) {
    guard termination == nil else { return }
    for handler in debugHandlers { handler("\(descriptor): \(event)") }
    switch event {
    case .next(let value):
      willDeliver(value)
      if canReplay { last = value }
      notify(event)
    case .error: notify(event)
    case .terminate(let reason): terminate(reason)
    }
  }

  private func notify(_ event: StreamEvent<Output, Failure>) {
    for branch in branches where termination == nil {
      if !branch.handle(event) { branches.removeAll { $0 === branch } }
    }
  }

  private func terminate(_ termination: Termination<Failure>) {
    self.termination = termination
    let (branches, itself) = (branches, itself)
    self.branches = []
    self.itself = nil
    replayFromParent = nil
    didTerminate()
    for branch in branches { _ = branch.handle(.terminate(reason: termination)) }
    _ = itself
  }

  /// Called with each value before it is delivered.
  func willDeliver(_ value: Output) {}

  /// Called when the stream has ended, before that is delivered.
  func didTerminate() {}

  /// Ends the stream for its listeners, in the `deinit` of its producer: a function that does not
  /// need it.
  final func ending() -> () -> Void {
    let branches = branches
    self.branches = []
    return { for branch in branches { _ = branch.handle(.terminate(reason: .completed)) } }
  }

  // MARK: Attaching

  /// Delivers to `branch` from now on; at once, if the stream has ended.
  final func attach(_ branch: Branch) {
    if let termination {
      _ = branch.handle(.terminate(reason: termination))
    } else {
      branches.append(branch)
    }
  }

  /// Attaches `child`, to which `step` passes on what it makes of each event.
  final func derive<T, Child: Hot<T, Failure>>(
    into child: Child, _ step: @escaping StreamStep<Output, T, Failure>
  ) -> Child {
    derive(
      into: child,
      answering: { event, emit, done in
        step(event, emit)
        done()
      })
  }

  /// The same for a step that may answer later.
  final func derive<T, Child: Hot<T, Failure>>(
    into child: Child, answering step: @escaping AsyncStreamStep<Output, T, Failure>
  ) -> Child {
    child.gate = gate
    child.throttling = nextThrottle.take().map { ThrottledEntry($0) }
    let branch = Branch { event in
      child.take(event) { step(event, { child.receive($0) }, $0) }
      return child.isActive
    }
    child.replayFromParent = { [weak self, weak branch] in self?.replay(to: branch) }
    if !canReplay { child.canReplay(false) }
    attach(branch)
    return child
  }

  // MARK: Throttling

  /// Has this stream's operation do its work as `throttle` allows. The end of the stream waits for the work
  /// that the throttle has taken; errors after which the stream goes on don't wait.
  ///
  /// ```swift
  /// urls.asyncMap(download).throttled(PressureThrottle(buffer: 100, limit: 4)).on { show($0) }
  /// ```
  ///
  /// - Parameter throttle: Decides which values the operation gets, and when. It takes the place of an earlier
  ///   one for values from now on.
  @discardableResult
  public final func throttled(_ throttle: any Throttle) -> Self {
    throttling = ThrottledEntry(throttle)
    return self
  }

  /// Has the next operation that is attached to this stream do its work as `throttle` allows; see
  /// ``throttled(_:)``.
  ///
  /// - Parameter throttle: Decides which values the operation gets, and when.
  public final func throttle(_ throttle: any Throttle) -> Self {
    nextThrottle = throttle
    return self
  }

  // MARK: Replaying and naming

  /// Delivers the last value to one branch, or has what this stream was derived from deliver its own.
  final func replay(to branch: Branch?) {
    guard let branch else { return }
    if let last { _ = branch.handle(.next(last)) } else { replayFromParent?() }
  }

  /// Delivers the last value of the stream before this in the chain once more, to this chain alone.
  @discardableResult
  public final func replay() -> Self {
    replayFromParent?()
    return self
  }

  /// Sets whether the stream keeps its last value to replay it. By default it does. Operators that are
  /// attached from now on keep none either, unless they are set to.
  @discardableResult
  public final func canReplay(_ isAllowed: Bool) -> Self {
    canReplay = isAllowed
    if !isAllowed { last = nil }
    return self
  }

  /// Has the stream keep itself until it ends, though nobody else may hold it; or no longer.
  @discardableResult
  public final func persist(_ isKept: Bool = true) -> Self {
    itself = isKept && isActive ? self : nil
    return self
  }

  /// Gives the stream a name, for its descriptions.
  @discardableResult
  public final func named(_ name: String) -> Self {
    self.name = name
    return self
  }

  /// The stream's name, or its type if it has no name.
  public final var descriptor: String {
    get { name ?? "\(type(of: self))" }
    set { name = newValue }
  }

  /// Calls `handler` with a line for each thing that happens to the stream.
  @discardableResult
  public final func onDebugInfo(_ handler: @escaping (String) -> Void) -> Self {
    debugHandlers.append(handler)
    return self
  }

  /// Called with a line for each event of the stream, nil by default. It takes the place of
  /// all that ``onDebugInfo(_:)`` has been given.
  public final var debugPrinter: ((String) -> Void)? {
    get { debugHandlers.last }
    set { debugHandlers = newValue.map { [$0] } ?? [] }
  }
}

extension Hot: CustomDebugStringConvertible {
  /// The stream's name, or its type if it has no name.
  public var debugDescription: String { descriptor }
}
