import Synchronization

/// A request that another loop answers. It is the message to that loop and the message back, too.
///
/// The function comes back with its answer, so that each thread frees what it has allocated. Otherwise the
/// threads would fight over the allocator. The object is used again when the message is back.
@usableFromInline
// Sound: `phase`, the outcome and the question belong to the loop that has the message; the locks of the
// inboxes hand them over. The completion stays on the own loop. All else is constant, atomic or touched on the
// own loop's thread, or on a thread that nobody else has the object on.
final class RemoteRequest: ActiveRequest, LoopMessage, @unchecked Sendable {
  /// The parts of the work that need the types.
  @usableFromInline
  enum Step {
    /// Calls the function, on the other loop's thread.
    case ask
    /// Gives the caller the answer.
    case answer
    case fail(UVError)
    /// Drops the function, and the answer if there is one, which nobody waits for any more.
    case drop(hasAnswer: Bool)
  }

  /// A function value without captures. It is formed, and so specialised, where the request is made. A method
  /// that a generic class overrides wouldn't be, and would look up its types each time, which takes longer
  /// than all else.
  @usableFromInline
  typealias Perform = (_ request: RemoteRequest, _ step: Step, _ other: EventLoop?) -> Void

  /// Where the message is. It comes back without an answer if it was cancelled before it was there.
  private enum Phase: UInt8 { case unused, sent, answered, returned }

  /// The own loop's, which may be gone when the answer is there.
  private let home: LoopExecutor
  /// The other loop's, for its name; nil while the object is unused.
  @exclusivity(unchecked) private var other: LoopExecutor?
  // As an optional value it would be kept in another form than it was made in, which would cost an
  // allocation.
  @exclusivity(unchecked) private var perform: Perform = { _, _, _ in }
  @exclusivity(unchecked) private var phase = Phase.unused
  /// Whether the caller has been answered, or is about to be; true while the object is unused. Before there is an
  /// answer this means a cancellation, so that the other loop needn't begin. Changed on the own loop's thread.
  private let isNotified = Atomic(true)
  /// Distinguishes the uses of the object.
  @exclusivity(unchecked) private var generation: UInt = 1
  // Apart, because a cancellation takes the completion while the other loop calls the question.
  @exclusivity(unchecked) @usableFromInline var question = OutcomeStorage()
  @exclusivity(unchecked) @usableFromInline var done = OutcomeStorage()
  @exclusivity(unchecked) @usableFromInline var outcome = OutcomeStorage()

  private init(_ loop: borrowing EventLoop) {
    home = loop.executor
    super.init(loop: loop)
  }

  deinit { if phase != .unused { perform(self, .drop(hasAnswer: phase == .answered), nil) } }

  // MARK: Starting

  /// An object for one use. The loop's list of requests has a reference of its own to it, whether it is used
  /// or unused, so that its way in and out of the list counts none.
  @usableFromInline
  static func take(_ loop: EventLoop) -> RemoteRequest {
    loop.requireOnLoop("a request of an event loop")
    guard let unused = loop.requests.unusedRemotes.take() else { return make(loop) }
    return unused._withUnsafeGuaranteedRef { unsafeDowncast($0, to: RemoteRequest.self) }
  }

  @inline(never)
  private static func make(_ loop: EventLoop) -> RemoteRequest {
    let request = RemoteRequest(loop)
    // Balanced where the list lets go of it: in `cancel`, and in `UnusedRequests`.
    _ = Unmanaged.passRetained(request)
    return request
  }

  /// Sends the function to another loop, or to this one. It and the completion have been stored.
  @usableFromInline
  static func start(
    _ request: consuming RemoteRequest, on executor: LoopExecutor, _ perform: @escaping Perform
  ) -> PendingRequest {
    request.perform = perform
    request.other = executor
    request.phase = .sent
    request.isNotified.store(false, ordering: .relaxed)
    if !request.begin() { return request.refuse(.loopClosed, "submit") }
    let pending = PendingRequest(request, generation: request.generation)
    let link = Unmanaged.passUnretained(request)
    if executor.send(request) { return pending }
    // Sound: the list has it.
    return link._withUnsafeGuaranteedRef { request in
      request.leaveList()
      return request.refuse(.loopClosed, "execute")
    }
  }

  /// False if the loop has been shut down.
  private func begin() -> Bool {
    withLoop { loop in
      if loop.isClosed { return false }
      loop.requests.insertRetained(.passUnretained(self))
      loop.beginWork()
      return true
    }
  }

  @inline(never)
  private func refuse(_ code: UVError.Code, _ operation: StaticString) -> PendingRequest {
    perform(self, .fail(UVError(code, operation: operation.description)), nil)
    perform(self, .drop(hasAnswer: false), nil)
    recycle()
    return PendingRequest()
  }

  // MARK: Under way

  @usableFromInline
  func arrive(on loop: EventLoop) {
    if phase != .sent { return comeHome() }
    if isNotified.load(ordering: .relaxed) {
      phase = .returned
    } else {
      loop.runOutside { perform(self, .ask, loop) }
      phase = .answered
    }
    // Dropped if the own loop has ended, which has answered the caller.
    // Sound: this object has the executor.
    Unmanaged.passUnretained(home)._withUnsafeGuaranteedRef { _ = $0.send(self) }
  }

  private func comeHome() {
    if isNotified.load(ordering: .relaxed) {
      perform(self, .drop(hasAnswer: phase == .answered), nil)
      // `cancel` has released the list's reference.
      _ = Unmanaged.passRetained(self)
      recycle()
    } else {
      leaveList()
      perform(self, .answer, nil)
    }
  }

  /// Ends the waiting; a function that has begun runs to its end.
  override func cancel(slot: UInt, generation: UInt) {
    // A generation of 0 means whichever use is under way; a loop that shuts down passes it.
    guard generation == 0 || generation == self.generation, !isNotified.load(ordering: .relaxed) else {
      return
    }
    isNotified.store(true, ordering: .relaxed)
    leaveList()
    perform(self, .fail(UVError(.cancelled, operation: "submit")), nil)
    // Balances `make`: the message's owner has the object now.
    Unmanaged.passUnretained(self).release()
  }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    let isThisUse = generation == 0 || generation == self.generation
    guard isThisUse, !isNotified.load(ordering: .relaxed) else { return nil }
    return Awaited(operation: "submit", subject: other?.loopName.withLock { $0 })
  }

  // MARK: Ending

  private func leaveList() {
    withLoop { loop in
      loop.endWork()
      loop.requests.removeRetained(self)
    }
  }

  /// Notifies the caller, but not on its stack.
  @usableFromInline
  func notifyLater(_ body: @escaping () -> Void) {
    withLoop { loop in
      if loop.isClosed { loop.answer(body) } else { loop.queueMicrotask(body) }
    }
  }

  /// The object can be used again. The list's reference to it goes back there.
  @usableFromInline
  func recycle() {
    phase = .unused
    other = nil
    isNotified.store(true, ordering: .relaxed)
    generation &+= 1
    withLoop { $0.requests.unusedRemotes.putBack(.passUnretained(self)) }
  }
}

/// The steps of a request that another loop answers, in code that knows the type of the answer.
@usableFromInline
enum RemoteFunctions<Success: Sendable> {
  /// A function in the form that it is sent in. As a value of a generic type, such as a pointer's, it would have
  /// another form, and the conversion allocates.
  @usableFromInline
  struct Question {
    @usableFromInline let ask: @Sendable (EventLoop) throws(UVError) -> Success

    @inlinable @inline(__always)
    init(_ ask: @escaping @Sendable (EventLoop) throws(UVError) -> Success) { self.ask = ask }
  }

  @usableFromInline typealias Done = GenericCompletion<Success>

  /// Sends `question` to the loop of `executor`.
  @inlinable @inline(__always)
  static func start(
    _ loop: EventLoop, on executor: LoopExecutor, _ question: Question, _ done: Done
  ) -> PendingRequest {
    let request = RemoteRequest.take(loop)
    request.question.store(question)
    request.done.store(done)
    return RemoteRequest.start(request, on: executor) { perform($0, $1, $2) }
  }

  @inlinable @inline(__always)
  static func perform(_ request: RemoteRequest, _ step: RemoteRequest.Step, _ other: EventLoop?) {
    switch step {
    case .ask:
      let question = request.question.pointer(to: Question.self)
      do throws(UVError) {
        let answer = try question.pointee.ask(other.unsafelyUnwrapped)
        request.outcome.store(Result<Success, UVError>.success(answer))
      } catch {
        request.outcome.store(Result<Success, UVError>.failure(error))
      }
    case .answer:
      _ = request.question.take(Question.self)
      let done = request.done.take(Done.self)
      let result = request.outcome.take(Result<Success, UVError>.self)
      // Before the caller is answered, because it may ask the next question with this object.
      request.recycle()
      done(result)
    case .fail(let error):
      // Called once, and then not by `answer`. The question is left for `drop`.
      let done = request.done.take(Done.self)
      request.notifyLater { done(.failure(error)) }
    case .drop(let hasAnswer):
      _ = request.question.take(Question.self)
      if hasAnswer { _ = request.outcome.take(Result<Success, UVError>.self) }
    }
  }
}
