import Synchronization

/// The settings of the module, for the whole process: `conf.logHandler = { … }`.
public let conf = Configuration()

/// What ``conf`` has to offer. Any thread may read and set it.
public final class Configuration: Sendable {
  private struct Handlers {
    var log: @Sendable (LogEvent) -> Void = { print("UVPromises: \($0.debugDescription)") }
    var unhandled: @Sendable (UnhandledRejection) -> Void = { print("UVPromises: \($0)") }
    var unstarted: @Sendable (UnstartedRequest) -> Void = { print("UVPromises: \($0)") }
  }

  private let handlers = Mutex(Handlers())
  private let catchesCancellation = Atomic(false)
  private let mapsInline = Atomic(false)
  private let returnsInline = Atomic(false)

  init() {}

  /// Called with what may be a mistake; prints unless set.
  public var logHandler: @Sendable (LogEvent) -> Void {
    get { handlers.withLock { $0.log } }
    set { handlers.withLock { $0.log = newValue } }
  }

  /// Called for a promise that was rejected and that nobody had asked for by the end of the turn of the loop;
  /// prints unless set. A cancellation is nothing to report.
  ///
  /// Node's `unhandledRejection` event.
  public var unhandledRejectionHandler: @Sendable (UnhandledRejection) -> Void {
    get { handlers.withLock { $0.unhandled } }
    set { handlers.withLock { $0.unhandled = newValue } }
  }

  /// Called with a request that a closure has returned where nobody starts it; prints unless set. Debug builds report
  /// it, once for each place; release builds never do.
  public var unstartedRequestHandler: @Sendable (UnstartedRequest) -> Void {
    get { handlers.withLock { $0.unstarted } }
    set { handlers.withLock { $0.unstarted = newValue } }
  }

  // PromiseKit's name.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// How a handler runs that names no dispatcher: `map` is for those that make something of a value, such as
  /// `map` and `then`; `return` is for those that end a chain or only look on, such as `done`, `get`,
  /// `ensure` and `catch`.
  ///
  /// Both are ``LoopDispatcher/microtask`` unless set; nil means ``LoopDispatcher/inline``. A change holds
  /// for the handlers that are attached afterwards, on every thread. A dispatch queue can't be set here: a
  /// handler that names none may use whatever the code around it can see, so it stays on the loop's thread.
  /// Name a queue at the handler, `map(on: queue)`.
  public var Q: (map: LoopDispatcher?, return: LoopDispatcher?) {
    get {
      (
        mapsInline.load(ordering: .relaxed) ? .inline : .microtask,
        returnsInline.load(ordering: .relaxed) ? .inline : .microtask
      )
    }
    set {
      mapsInline.store(newValue.map != .microtask, ordering: .relaxed)
      returnsInline.store(newValue.return != .microtask, ordering: .relaxed)
    }
  }

  /// The policy of a `catch` or `recover` that names none: `.allErrorsExceptCancellation` unless set.
  public var catchPolicy: CatchPolicy {
    get { catchesCancellation.load(ordering: .relaxed) ? .allErrors : .allErrorsExceptCancellation }
    set { catchesCancellation.store(newValue == .allErrors, ordering: .relaxed) }
  }
}
