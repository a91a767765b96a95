import CUV

/// The work of a ``Request`` of another module that is often done at once. A task that awaits the request then
/// goes on without a wait, as it does after a write that the system takes.
@usableFromInline
package protocol DirectWork: AnyObject {
  /// The loop of the request.
  var loop: EventLoop { get }

  /// Does the work. Called on the loop's thread.
  ///
  /// - Returns: The outcome; nil if the work can't be done at once. ``start(_:)`` then does what is missing.
  func doAtOnce() -> Result<Void, UVError>?

  /// Starts the work; see ``Request/start(_:)``.
  func start(_ done: @escaping Completion<Void>) -> PendingRequest
}

extension DirectWork {
  /// Does the work for the calling task. It isn't done if the task is cancelled, and if the turn's budget is
  /// used up.
  @usableFromInline
  func doAtOnceForTask() -> Result<Void, UVError>? {
    cuv_task_is_cancelled(cuv_current_task()) || loop.spend(1) ? nil : doAtOnce()
  }
}

extension Request where Success == Void {
  /// Creates a request whose work is often done at once.
  package init(_ work: any DirectWork, operation: StaticString = #function) {
    body = .direct(work, RequestName(operation)) { $0 }
  }
}

/// The work of a ``Request`` of another module, by an object that is there anyway. The request itself needs no object
/// and no closure. A task that awaits an answer which is known goes on without a wait.
@usableFromInline
package protocol SharedWork<Success>: AnyObject {
  associatedtype Success

  /// The loop of the request.
  var loop: EventLoop { get }

  /// Whether the answer is known. It is asked where the answer's type is known too: to say nil elsewhere takes a look-up
  /// of that type. Called on the loop's thread, as all of these are.
  var isKnown: Bool { get }

  /// Takes the answer if it is known.
  ///
  /// - Parameter argument: What the request has given, such as a limit.
  func answerIfKnown(_ argument: Int) -> Result<Success, UVError>?

  /// Starts the work; see ``Request/start(_:)``.
  func start(_ argument: Int, _ done: GenericCompletion<Success>) -> PendingRequest
}

extension SharedWork {
  // Of work whose answer never is known.
  @usableFromInline package var isKnown: Bool { false }
  @usableFromInline package func answerIfKnown(_ argument: Int) -> Result<Success, UVError>? { nil }

  /// Takes the answer, which is known, for the calling task, unless that is cancelled, or the turn's budget is used up.
  @usableFromInline
  func answerForTask(_ argument: Int) -> Result<Success, UVError>? {
    cuv_task_is_cancelled(cuv_current_task()) || loop.spend(1) ? nil : answerIfKnown(argument)
  }

  /// Takes the answer, which is known, for a style that gives it later, unless the turn's budget is used up.
  @usableFromInline
  func answerForStyle(_ argument: Int) -> Result<Success, UVError>? {
    loop.spend(1) ? nil : answerIfKnown(argument)
  }
}

/// A completion in the form that a request has it in. Code that names the type of the answer would keep it in
/// another form, and the conversion allocates.
@usableFromInline
package struct GenericCompletion<Success> {
  @usableFromInline let done: Completion<Success>

  @inlinable
  @inline(__always)
  init(_ done: @escaping Completion<Success>) { self.done = done }

  /// Calls the completion.
  @inlinable
  @inline(__always)
  package func callAsFunction(_ result: Result<Success, UVError>) { done(result) }
}

extension Request {
  /// Creates a request that an object works on.
  ///
  /// - Parameter argument: What is asked of the object.
  package init(_ work: any SharedWork<Success>, _ argument: Int = 0, operation: StaticString = #function) {
    body = .shared(work, argument, RequestName(operation))
  }

  /// Takes the answer in place of ``start(_:)``, if it is known.
  @inlinable
  @inline(__always)
  package func answerIfKnown() -> Result<Success, UVError>? {
    guard case .shared = body, let work = sharedWork, work.isKnown else { return nil }
    return work.answerForStyle(sharedArgument)
  }

  /// The object that works on the request, if one does. A function of its own, and one for its argument: where a pattern
  /// takes them out, the compiler copies the whole request, with a case for each kind.
  @inlinable
  @inline(never)
  var sharedWork: (any SharedWork<Success>)? { if case .shared(let work, _, _) = body { work } else { nil } }

  @inlinable
  @inline(__always)
  var sharedArgument: Int { if case .shared(_, let argument, _) = body { argument } else { 0 } }
}

extension EventLoop {
  /// Runs `body` on libuv's thread pool; its value arrives on the loop.
  ///
  /// File operations and name resolution share the pool. It has four threads unless the environment variable
  /// `UV_THREADPOOL_SIZE` says otherwise, so work that waits for long holds those operations up.
  /// When the process ends, libuv waits for work that has begun. So `exit` in `body` aborts: its thread would
  /// wait for itself.
  ///
  /// - Parameter body: What to do, off the loop's thread. If it can fail, let it return a `Result`.
  /// - Returns: A request for the body's value. If you cancel it before the body has begun, the body never
  ///   begins. After that the body runs to its end and its value is dropped.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func work<T: Sendable>(_ body: @escaping @Sendable () -> T) -> Request<T> {
    Request(of: self) { [self] in work(body, $0) }
  }

  /// Runs `body` on libuv's thread pool; see ``work(_:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  @discardableResult
  public func work<T: Sendable>(
    _ body: @escaping @Sendable () -> T, _ done: @escaping Completion<T>
  ) -> PendingRequest {
    WorkRequest(self, body, done).start()
  }
}
