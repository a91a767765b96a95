import CUV

/// A request that another loop answers. It is the message to that loop and the message back, too.
///
/// The function comes back with its answer, so that each thread frees what it has allocated. Otherwise the
/// threads would fight over the allocator.
@usableFromInline
// Sound: `hasOutcome`, and what `perform` uses to ask and to answer, belong to the loop that has the message;
// the locks of the inboxes hand them over. All else is a constant or touched on the own loop's thread.
class RemoteWork: ActiveRequest, LoopMessage, @unchecked Sendable {
  /// The parts of the work that need the types.
  @usableFromInline
  enum Step {
    /// Calls the function, on the other loop's thread.
    case ask
    /// Gives the caller the answer.
    case answer
    case fail(UVError)
    /// Drops an answer that nobody waits for any more.
    case drop
  }

  /// A function value without captures. It is formed, and so specialised, where the request is made. A method
  /// that a generic class overrides wouldn't be, and would look up its types each time, which takes longer
  /// than all else.
  @usableFromInline
  typealias Perform = (_ request: RemoteWork, _ step: Step, _ other: EventLoop?) -> Void

  private let perform: Perform
  /// The own loop's, which may be gone when the answer is there.
  private let home: LoopExecutor
  /// Whether the other loop has answered.
  @exclusivity(unchecked) fileprivate var hasOutcome = false
  /// Whether the caller has been told, or is about to be.
  @exclusivity(unchecked) private var isAnswered = false

  @usableFromInline
  init(_ loop: borrowing EventLoop, _ perform: @escaping Perform) {
    self.perform = perform
    home = loop.executor
    super.init(loop: loop)
  }

  /// Sends the function to another loop, or to this one.
  @usableFromInline
  final func start(on executor: LoopExecutor) -> PendingRequest {
    withLoop { loop in
      if loop.isClosed {
        isAnswered = true
        let error = failure(UVError.Code.loopClosed.rawValue, "submit")
        loop.answer { [self] in perform(self, .fail(error), nil) }
        return PendingRequest()
      }
      loop.requests.insert(self)
      loop.beginWork()
      if !executor.send(self) {
        loop.enqueue(.closure { [self] in leave(.fail(UVError(.loopClosed, operation: "execute"))) })
      }
      return PendingRequest(self)
    }
  }

  @usableFromInline
  final func arrive(on loop: EventLoop) {
    if hasOutcome {
      leave(.answer)
      if hasOutcome { drop() }
      return
    }
    loop.runOutside { perform(self, .ask, loop) }
    hasOutcome = true
    // Dropped if the own loop has ended, which has told the caller.
    _ = home.send(self)
  }

  /// Ends the waiting; the function itself runs to its end.
  override final func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    leave(nil)
    let error = failure(UV_ECANCELED.rawValue, "submit")
    loop.queueMicrotask { [self] in perform(self, .fail(error), nil) }
  }

  /// Takes the request off its loop and tells the caller, unless that has been done.
  private func leave(_ step: Step?) {
    if isAnswered { return }
    isAnswered = true
    withLoop { loop in
      loop.endWork()
      loop.requests.remove(self)
    }
    guard let step else { return }
    if case .answer = step { hasOutcome = false }
    perform(self, step, nil)
  }

  fileprivate final func drop() {
    hasOutcome = false
    perform(self, .drop, nil)
  }

  override final func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isAnswered ? nil : Awaited(operation: "submit")
  }
}

/// The same with the function and the completion.
@usableFromInline
// Sound: as in `RemoteWork`, the inboxes' locks hand the function and the outcome over. The completion stays
// on the own loop.
final class RemoteRequest<Success: Sendable>: RemoteWork, @unchecked Sendable {
  @usableFromInline typealias Question = @Sendable (EventLoop) throws(UVError) -> Success

  // As an optional value it would be kept in another form than it was made in, which would cost an
  // allocation.
  @exclusivity(unchecked) @usableFromInline var question: Question
  @exclusivity(unchecked) @usableFromInline var done: Completion<Success>?
  @exclusivity(unchecked) @usableFromInline var outcome = OutcomeStorage()

  @inlinable
  init(
    _ loop: borrowing EventLoop, _ question: @escaping Question, _ done: @escaping Completion<Success>,
    _ perform: @escaping Perform
  ) {
    self.question = question
    self.done = done
    super.init(loop, perform)
  }

  deinit { if hasOutcome { drop() } }

  @inlinable @inline(__always)
  static func perform(_ request: RemoteWork, _ step: Step, _ other: EventLoop?) {
    let request = unsafeDowncast(request, to: RemoteRequest.self)
    switch step {
    case .ask: request.ask(other.unsafelyUnwrapped)
    case .answer: request.finish(request.takeOutcome())
    case .fail(let error): request.finish(.failure(error))
    case .drop: _ = request.takeOutcome()
    }
  }

  @inlinable @inline(__always)
  func ask(_ loop: EventLoop) {
    do throws(UVError) {
      outcome.store(Result<Success, UVError>.success(try question(loop)))
    } catch {
      outcome.store(Result<Success, UVError>.failure(error))
    }
  }

  /// Takes the answer out, and lets go of the function.
  @inlinable @inline(__always)
  func takeOutcome() -> Result<Success, UVError> {
    question = { _ in fatalError("asked already") }
    return outcome.take(Result<Success, UVError>.self)
  }

  @inlinable @inline(__always)
  func finish(_ result: Result<Success, UVError>) {
    guard let done = done.take() else { return }
    done(result)
  }
}
