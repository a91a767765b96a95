import Synchronization

/// The settings of the module, for the whole process: `conf.logHandler = { … }`.
///
/// PromiseKit's `conf`. There is no default queue to set: the default is the loop of the thread, and another
/// may be named at each handler.
public let conf = Configuration()

/// What ``conf`` has to offer. Any thread may read and set it.
public final class Configuration: Sendable {
  private struct Handlers {
    var log: @Sendable (LogEvent) -> Void = { print("UVPromises: \($0.debugDescription)") }
    var unhandled: @Sendable (UnhandledRejection) -> Void = { print("UVPromises: \($0)") }
  }

  private let handlers = Mutex(Handlers())
  private let catchesCancellation = Atomic(false)

  init() {}

  /// Told of what may be a mistake; prints unless set.
  ///
  /// PromiseKit's `conf.logHandler`.
  public var logHandler: @Sendable (LogEvent) -> Void {
    get { handlers.withLock { $0.log } }
    set { handlers.withLock { $0.log = newValue } }
  }

  /// Told of a promise that was rejected and that nobody had asked for by the end of the turn of the loop;
  /// prints unless set. A cancellation is nothing to report.
  ///
  /// Node's `unhandledRejection` event.
  public var unhandledRejectionHandler: @Sendable (UnhandledRejection) -> Void {
    get { handlers.withLock { $0.unhandled } }
    set { handlers.withLock { $0.unhandled = newValue } }
  }

  /// The policy of a `catch` or `recover` that names none: `.allErrorsExceptCancellation` unless set.
  ///
  /// PromiseKit's `conf.catchPolicy`.
  public var catchPolicy: CatchPolicy {
    get { catchesCancellation.load(ordering: .relaxed) ? .allErrors : .allErrorsExceptCancellation }
    set { catchesCancellation.store(newValue == .allErrors, ordering: .relaxed) }
  }
}
