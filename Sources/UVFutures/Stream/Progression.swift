/// How far long work has come.
///
/// RxStream's `ProgressEvent`.
public struct ProgressEvent<Unit: Numeric> {
  /// What is being done.
  public var title: String
  /// What is counted: `"bytes"`.
  public var unit: String
  /// How much has been done.
  public var current: Unit
  /// How much there is to do.
  public var total: Unit

  /// Creates an event.
  ///
  /// RxStream's `ProgressEvent.init(title:unit:current:total:)`.
  public init(title: String, unit: String, current: Unit, total: Unit) {
    self.title = title
    self.unit = unit
    self.current = current
    self.total = total
  }
}

extension ProgressEvent: Equatable {}
extension ProgressEvent: Sendable where Unit: Sendable {}

/// A future of long work, which tells how far it has come.
///
/// RxStream's `Progression`.
public class Progression<Unit: Numeric, Output, Failure: Error>: Future<Output, Failure> {
  private var handlers: [(ProgressEvent<Unit>) -> Void] = []
  private var cancelTask: (() -> Void)?

  /// Creates a progression and runs `task` at once.
  ///
  /// - Parameter task: Starts the work; gets what to call with the progress and what to call with the result,
  ///   and returns what to call when it is cancelled, if anything.
  ///
  /// RxStream's `Progression.init(dispatch:task:)`.
  public init(
    _ task: (_ progress: @escaping (ProgressEvent<Unit>) -> Void, _ completion: @escaping Promise) -> (
      () -> Void
    )?
  ) {
    super.init()
    let cancel = task(
      { [weak self] in self?.report($0) },
      { [self] result in
        switch result {
        case .success(let value): settle(.value(value))
        case .failure(let error): settle(.failure(error))
        }
      })
    if isActive { cancelTask = cancel }
  }

  override init() { super.init() }

  final func report(_ event: ProgressEvent<Unit>) {
    guard isActive else { return }
    for handler in handlers { handler(event) }
  }

  /// Calls `handler` with the progress from now on, until the work has ended.
  ///
  /// RxStream's `onProgress(_:)`.
  @discardableResult
  public final func onProgress(_ handler: @escaping (ProgressEvent<Unit>) -> Void) -> Self {
    if isActive { handlers.append(handler) }
    return self
  }

  /// The same work with its progress counted differently.
  ///
  /// RxStream's `mapProgress(_:)`.
  @discardableResult
  public final func mapProgress<NewUnit: Numeric>(
    _ transform: @escaping (ProgressEvent<Unit>) -> ProgressEvent<NewUnit>
  ) -> Progression<NewUnit, Output, Failure> {
    let child = Progression<NewUnit, Output, Failure>()
    child.cancelTask = { [self] in cancel() }
    onProgress { [weak child] in child?.report(transform($0)) }
    return derive(into: child) { $1.settle($0) }
  }

  /// The same work, whose progress is that of both sides together, as `combiner` says.
  ///
  /// RxStream's `combineProgress(_:combiner:)`.
  @discardableResult
  public final func combineProgress<OtherUnit: Numeric, OtherOutput, OtherFailure: Error, NewUnit: Numeric>(
    _ other: Progression<OtherUnit, OtherOutput, OtherFailure>,
    combiner: @escaping (ProgressEvent<Unit>?, ProgressEvent<OtherUnit>?) -> ProgressEvent<NewUnit>
  ) -> Progression<NewUnit, Output, Failure> {
    let child = Progression<NewUnit, Output, Failure>()
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
    return derive(into: child) { $1.settle($0) }
  }

  /// Cancels the work; the chain ends as cancelled, and progress that is reported later is ignored.
  ///
  /// RxStream's `cancel()`.
  public final func cancel() {
    guard isActive else { return }
    let cancelTask = cancelTask
    self.cancelTask = nil
    settle(.cancelled)
    cancelTask?()
  }
}

/// A progression that is updated and completed from outside.
///
/// RxStream's `ProgressionInput`.
public final class ProgressionInput<Unit: Numeric, Output, Failure: Error>: Progression<Unit, Output, Failure>
{
  /// Creates a progression that waits to be completed.
  ///
  /// RxStream's `ProgressionInput.init()`.
  public override init() { super.init() }

  /// Tells how far the work has come; ignored once it has ended.
  ///
  /// RxStream's `ProgressionInput.updateProgress(_:)`.
  public func updateProgress(_ event: ProgressEvent<Unit>) { report(event) }

  /// Completes the work with a value; ignored once it has ended.
  ///
  /// RxStream's `ProgressionInput.complete(_:)`.
  public func complete(_ value: Output) { settle(.value(value)) }

  /// Completes the work with an error; ignored once it has ended.
  ///
  /// RxStream's `ProgressionInput.complete(_:)`.
  public func complete(_ error: Failure) { settle(.failure(error)) }
}
