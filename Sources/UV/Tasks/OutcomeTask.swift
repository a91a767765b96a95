/// What a ``LoopTask`` stands for: the task, its body and those who wait for its outcome.
class OutcomeTask<Success, Failure: Error>: LoopTaskBase {
  typealias Body = nonisolated(nonsending) () async throws(Failure) -> Success

  /// The task's body. A body without a value that can't fail is kept as it is. In the other form its frame
  /// wouldn't fit into the memory that the runtime gives a new task, and a task that waits would take
  /// twice as much.
  enum Form {
    case general(Body)
    case plain(PlainBody)
  }

  @exclusivity(unchecked) private var work: Form?
  @exclusivity(unchecked) private var waiters: [UnsafeContinuation<Void, Never>] = []

  init(loop: EventLoop, _ origin: SourcePlace, _ work: Form) {
    self.work = work
    super.init(loop: loop, origin)
  }

  private func takeBody() -> Body {
    switch work.take()! {
    case .general(let body): body
    case .plain(let body):
      {
        await body()
        return OutcomeTask.nothing
      }
    }
  }

  override final nonisolated(nonsending) func run() async {
    // The closure and its captures are released as soon as the closure has ended.
    let body = takeBody()
    do throws(Failure) { finish(.success(try await body())) } catch { finish(.failure(error)) }
  }

  final func finish(_ result: Result<Success, Failure>) {
    keep(result)
    hasResult = true
    let waiters = self.waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
    if let group = takeGroup() {
      if case .failure(let error) = result { group.didEnd(self, error) } else { group.didEnd(self, nil) }
    }
    end()
  }

  /// The outcome of the task, or nil while the task runs.
  final var resultIfFinished: Result<Success, Failure>? { hasResult ? result : nil }

  /// Keeps the outcome. A task without a value that can't fail has nothing to keep; see ``ValueTask``.
  fileprivate func keep(_ result: Result<Success, Failure>) {}

  /// The outcome, once there is one.
  var result: Result<Success, Failure> { .success(OutcomeTask.nothing) }

  /// The value of a task with a plain body, whose type is known as a parameter only.
  // Sound: such a body has the type `Void`.
  private static var nothing: Success { unsafeBitCast((), to: Success.self) }

  @inline(__always)
  final nonisolated(nonsending) func waitForEnd() async {
    if hasResult {
      if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
      return
    }
    beginIfUnbegun()
    // The result is checked again: a caller that wasn't on the loop gets there in between, and the task may
    // have ended meanwhile.
    let waiting = EventLoop.current?.currentTask
    await withContinuation {
      if hasResult { return $0.resume() }
      waiters.append($0)
      waiting?.willWait(for: PendingRequest(self))
    }
    waiting?.didWait()
  }
}

/// A task that has a value or may fail. The others have no place for an outcome: where they go, the runtime
/// would look up its type, which takes 700 instructions.
final class ValueTask<Success, Failure: Error>: OutcomeTask<Success, Failure> {
  @exclusivity(unchecked) private var outcome: Result<Success, Failure>?

  override fileprivate func keep(_ result: Result<Success, Failure>) { outcome = result }
  override var result: Result<Success, Failure> { outcome! }
}

extension OutcomeTask<Void, Never> {
  /// The body of a task that was made with a plain one.
  func takePlainBody() -> PlainBody {
    guard case .plain(let body)? = work.take() else { fatalError("the task has no plain body") }
    return body
  }
}
