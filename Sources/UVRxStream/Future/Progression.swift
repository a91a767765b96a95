import UV

/// How far long work has come.
///
/// RxStream's `ProgressEvent`.
public struct ProgressEvent<Unit> {
  /// The action that makes progress.
  public var title: String
  /// The unit that is counted: `"bytes"`.
  public var unit: String
  /// How much has been done.
  public var current: Unit
  /// How much there is to do.
  public var total: Unit

  /// Creates an event.
  public init(title: String, unit: String, current: Unit, total: Unit) {
    self.title = title
    self.unit = unit
    self.current = current
    self.total = total
  }
}

extension ProgressEvent: Equatable where Unit: Equatable {}
extension ProgressEvent: Sendable where Unit: Sendable {}

/// A future of long work, which reports how far it has come.
///
/// RxStream's `Progression`.
public class Progression<Unit, Output, Failure: Error>: Future<Output, Failure> {
  private var handlers: [(ProgressEvent<Unit>) -> Void] = []
  final var cancelTask: (() -> Void)?

  /// Creates a progression and runs `task` at once.
  ///
  /// - Parameter task: Starts the work; gets what to call with the progress and what to call with the result,
  ///   both on any thread, and returns what to call when it is cancelled, if anything. The loop keeps running
  ///   until the result is there or can't come any more.
  public convenience init(
    _ task: (_ progress: @escaping (ProgressEvent<Unit>) -> Void, _ completion: @escaping Promise) -> (
      () -> Void
    )?
  ) {
    self.init(begin: { task($0, $1) })
  }

  /// Both functions may be called by any thread in any case. Whether the compiler lets them be captured there is
  /// up to the initializers.
  init(
    begin: (
      _ progress: @escaping @Sendable (ProgressEvent<Unit>) -> Void,
      _ completion: @escaping @Sendable (Result<Output, Failure>) -> Void
    ) -> (() -> Void)?
  ) {
    super.init()
    // Sound: the progression is looked up where it lives, or inside the gate.
    let weakly = UnsafeTransfer(WeakReference(self))
    guard let loop = EventLoop.current else {
      let gate = Gate()
      self.gate = gate
      // Sound: touched inside the gate.
      let transfer = UnsafeTransfer(self)
      let cancel = begin(
        { event in gate.run { weakly.value.object?.report(event) } },
        { transfer.value.settleThroughGate(Settlement($0)) })
      if isActive { cancelTask = cancel }
      return
    }
    let (completion, executor) = (FutureCompletion(loop, self), loop.executor)
    let cancel = begin(
      { event in onLoop(executor) { _ in weakly.value.object?.report(event) } }, { completion.resolve($0) })
    guard isActive else { return }
    cancelTask = { [weak ticket = completion.ticket] in
      ticket?.giveUp()
      cancel?()
    }
  }

  override init() { super.init() }

  deinit {
    // With it goes what is before this in the chain.
    var last = cancelTask.take()
    if last != nil { Trampoline.nest { last = nil } }
  }

  final func report(_ event: ProgressEvent<Unit>) {
    assertOnLoop()
    guard isActive else { return }
    let handlers = handlers
    Trampoline.nest { for handler in handlers { handler(event) } }
  }

  /// Calls `handler` with the progress from now on, until the work has ended.
  @discardableResult
  public final func onProgress(_ handler: @escaping (ProgressEvent<Unit>) -> Void) -> Self {
    if isActive { handlers.append(handler) }
    return self
  }

  /// The same work with its progress counted differently.
  @discardableResult
  public final func mapProgress<NewUnit>(
    _ transform: @escaping (ProgressEvent<Unit>) -> ProgressEvent<NewUnit>
  ) -> Progression<NewUnit, Output, Failure> {
    let child = Progression<NewUnit, Output, Failure>()
    child.cancelTask = { [self] in cancel() }
    onProgress { [weak child] in child?.report(transform($0)) }
    return derive(into: child) { $1.settle($0) }
  }

  /// The same work, whose progress is reported as `throttle` allows. The result isn't throttled; progress that waits
  /// for the throttle when the work ends isn't reported any more.
  ///
  /// - Parameter throttle: Decides which events are reported, and when.
  public final func throttle(_ throttle: any Throttle) -> Progression {
    let child = Progression<Unit, Output, Failure>()
    child.cancelTask = { [self] in cancel() }
    onProgress { [weak child] event in
      throttle.process { signal in
        guard case .perform(let completion) = signal else { return }
        child?.report(event)
        completion()
      }
    }
    return derive(into: child) { $1.settle($0) }
  }

  /// The values of both sides as a pair. Its progress is that of both sides together, as `combiner` says. An
  /// error of either side ends it at once.
  @discardableResult
  public final func combineProgress<OtherUnit, OtherOutput, NewUnit>(
    _ other: Progression<OtherUnit, OtherOutput, Failure>,
    combiner: @escaping (ProgressEvent<Unit>?, ProgressEvent<OtherUnit>?) -> ProgressEvent<NewUnit>
  ) -> Progression<NewUnit, (Output, OtherOutput), Failure> {
    let child = Progression<NewUnit, (Output, OtherOutput), Failure>()
    child.cancelTask = { [self] in cancel() }
    var (mine, others): (ProgressEvent<Unit>?, ProgressEvent<OtherUnit>?)
    onProgress { [weak child] in
      mine = $0
      child?.report(combiner(mine, others))
    }
    other.onProgress { [weak child] in
      others = $0
      child?.report(combiner(mine, others))
    }
    return asFuture.combine(other).derive(into: child) { $1.settle($0) }
  }

  /// Cancels the work; the chain ends as cancelled, and progress that is reported later is ignored.
  public final func cancel() {
    guard isActive else { return }
    let cancelTask = cancelTask
    self.cancelTask = nil
    settle(.cancelled)
    didCancel()
    if let cancelTask { Trampoline.nest(cancelTask) }
  }

  /// Called once it has been cancelled.
  func didCancel() {}
}

extension Progression where Output: Sendable, Unit: Sendable {
  /// Creates a progression and runs `task` at once. Its arguments can be captured by work on another thread.
  ///
  /// - Parameter task: Starts the work; gets what to call with the progress and what to call with the result,
  ///   both on any thread, and returns what to call when it is cancelled, if anything. The loop keeps running
  ///   until the result is there or can't come any more.
  public convenience init(
    _ task: (
      _ progress: @escaping @Sendable (ProgressEvent<Unit>) -> Void,
      _ completion: @escaping @Sendable (Result<Output, Failure>) -> Void
    ) -> (() -> Void)?
  ) {
    self.init(begin: task)
  }
}

/// Refers to an object that may go.
final class WeakReference<Object: AnyObject> {
  weak var object: Object?
  init(_ object: Object) { self.object = object }
}

/// A progression that is updated and completed from outside, on any thread.
///
/// A progression that is created on a loop keeps the loop running until it is completed, cancelled or
/// released.
///
/// RxStream's `ProgressionInput`.
public final class ProgressionInput<Unit, Output, Failure: Error>: Progression<Unit, Output, Failure> {
  private let root = InputRoot(for: ProgressionInput.self)
  private let executor = EventLoop.current?.executor

  /// Creates a progression that waits to be completed.
  public override init() {
    super.init()
    root.attach(to: self)
  }

  deinit { root.lose(self) }

  /// Reports how far the work has come, from any thread; ignored once it has ended.
  public func updateProgress(_ event: ProgressEvent<Unit>) {
    // Sound: touched on the loop's thread, or inside the gate.
    let transfer = UnsafeTransfer((self, event))
    if let executor { return onLoop(executor) { _ in transfer.value.0.report(transfer.value.1) } }
    gate?.run { transfer.value.0.report(transfer.value.1) }
  }

  /// Completes the work with a value, from any thread; ignored once it has ended.
  public func complete(_ value: Output) { root.settle(self, .value(value)) }

  /// Completes the work with an error, from any thread; ignored once it has ended.
  public func complete(_ error: Failure) { root.settle(self, .failure(error)) }

  override func didCancel() { root.release() }
}
