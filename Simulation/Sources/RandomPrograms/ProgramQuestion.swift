import SimulatedWorlds
import UV
import UVFutures
import UVPromises
import WorldSupport

/// One thing that a program has asked for, and what it knows about the answer.
final class ProgramQuestion {
  let text: String
  /// The side that has asked.
  let side: Int
  let begin: LoopClock.Instant
  /// Whether the program has given up, and since when.
  private(set) var givenUp: LoopClock.Instant?
  /// The limit that it has set.
  var limit: Duration?
  /// Whether a subscription has been cancelled, which is answered never or has been before.
  private(set) var isDropped = false
  private(set) var answers = 0
  private var waiter: (() -> Void)?
  var subscription: AnyCancellable?

  init(_ text: String, _ side: Int, _ loop: EventLoop) {
    (self.text, self.side, begin) = (text, side, loop.clock.now)
  }

  /// Whether it has been answered as often as it has to be.
  var isRight: Bool { answers == 1 || isDropped && answers == 0 }

  func giveUp(_ now: LoopClock.Instant) { if answers == 0, givenUp == nil { givenUp = now } }

  func drop() {
    if answers == 0 { isDropped = true }
    goOn()
  }

  func answer() {
    answers += 1
    goOn()
  }

  private func goOn() {
    subscription = nil
    let waiter = waiter
    self.waiter = nil
    waiter?()
  }

  /// Waits for the answer.
  nonisolated(nonsending) func wait(_ loop: EventLoop) async {
    if answers > 0 || isDropped { return }
    let request = Request<Void>(loop) { [self] done in
      waiter = { done(.success(())) }
      return PendingRequest { [self] in
        if waiter == nil { return }
        waiter = nil
        done(.failure(UVError(.cancelled, operation: "wait")))
      }
    }
    try? await request.value
  }
}

extension ProgramSide {
  /// Asks for something as the step says, and compares the answer with what the model expects.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - mayFail: Whether the model expects an error that the step itself hasn't caused.
  ///   - callback: The callback function, if it is another path than the request.
  ///   - direct: What a task awaits, if it is another path than the request.
  ///   - make: The request. It is made when it is started.
  ///   - then: Takes the answer, and nil in place of a success that nobody will have.
  func ask<T>(
    _ step: ProgramStep, _ track: ProgramTrack, mayFail: @escaping (UVError) -> Bool = { _ in false },
    callback: ((@escaping Completion<T>) -> PendingRequest)? = nil,
    direct: (nonisolated(nonsending) () async throws -> T)? = nil, _ make: @escaping () -> Request<T>,
    then: @escaping (Result<T, UVError>?) -> Void = { _ in }
  ) async {
    let question = ProgramQuestion("\(step)", number, loop)
    world.questions.append(question)
    switch step.end {
    case .timeout(let time), .deadline(let time): question.limit = .microseconds(time)
    default: break
    }
    let wasCancelled = track.isCancelled
    let done: Completion<T> = { [self] result in
      if question.isDropped {
        return world.complain("\(step) is answered after its subscription was cancelled")
      }
      question.answer()
      judge(question, step, track, wasCancelled, (try? result.get()) == nil ? result.error : nil, mayFail)
      then(result)
    }
    let request: () -> Request<T> = {
      if case .timeout(let time) = step.end { return make().timeout(after: .microseconds(time)) }
      return make()
    }
    // A deadline is a task's.
    let isDeadline = if case .deadline = step.end { true } else { false }
    let body: nonisolated(nonsending) () async -> Void = { [loop] in
      do {
        let isLimited = if case .timeout = step.end { true } else { false }
        let value: nonisolated(nonsending) () async throws -> T = {
          if let direct, !isLimited { return try await direct() }
          return try await request().value
        }
        guard case .deadline(let time) = step.end else { return done(.success(try await value())) }
        let answer = Unchecked<T>()
        try await loop.withDeadline(.microseconds(time)) { answer.value = try await value() }
        done(.success(answer.value!))
      } catch { done(.failure(UVError(caught: error))) }
    }
    var pending = PendingRequest()
    switch isDeadline ? .task : step.style {
    case .callback:
      if question.limit == nil, let callback {
        pending = callback(done)
      } else {
        pending = request().start(done)
      }
    case .request: pending = request().start(done)
    case .task:
      if step.waits, step.end == .patient || question.limit != nil {
        track.question = question
        await body()
        track.question = nil
        return
      }
      let task = loop.spawn { await body() }
      pending = PendingRequest { task.cancel() }
    case .promise:
      let promise = request().promise()
      promise.done { done(.success($0)) }.catch(policy: .allErrors) { error in
        // One that is cancelled when it has its value keeps it: its handlers alone see the cancellation.
        done(promise.value.map { .success($0) } ?? .failure(UVError(caught: error)))
      }
      pending = PendingRequest { promise.cancel() }
    case .publisher:
      question.subscription = request().publisher().sink(
        receiveCompletion: { if case .failure(let error) = $0 { done(.failure(error)) } },
        receiveValue: { done(.success($0)) })
      pending = PendingRequest { [weak question] in
        guard let question, let subscription = question.subscription else { return }
        subscription.cancel()
        question.drop()
        then(nil)
      }
    }
    giveUp(step, question, pending)
    if step.waits { await question.wait(loop) }
  }

  /// Cancels when the step says so.
  private func giveUp(_ step: ProgramStep, _ question: ProgramQuestion, _ pending: PendingRequest) {
    let cancel = { [loop] in
      question.giveUp(loop.clock.now)
      pending.cancel()
    }
    switch step.end {
    case .patient, .timeout, .deadline: break
    case .cancelAtOnce: cancel()
    case .cancelInMicrotask: loop.queueMicrotask { cancel() }
    case .cancelNextTurn: loop.sleep(for: .zero) { _ in cancel() }
    case .cancel(let time): loop.sleep(for: .microseconds(time)) { _ in cancel() }
    case .cancelBusy(let time):
      loop.sleep(for: .zero) { [self] _ in
        compute(time)
        cancel()
      }
    }
  }

  private func judge(
    _ question: ProgramQuestion, _ step: ProgramStep, _ track: ProgramTrack, _ wasCancelled: Bool,
    _ error: UVError?, _ mayFail: (UVError) -> Bool
  ) {
    let now = loop.clock.now
    let time = question.begin.duration(to: now)
    if let givenUp = question.givenUp, givenUp.duration(to: now) > slack {
      world.complain("\(step) is answered \(givenUp.duration(to: now)) after it was cancelled")
    }
    if let limit = question.limit, time > limit + slack {
      world.complain("\(step) is answered after \(time)")
    }
    guard let error else { return }
    let isCaused =
      error.isCancelled && (question.givenUp != nil || track.isCancelled || wasCancelled)
      || error.code == .timedOut && question.limit.map { time >= $0 } ?? false
    if !isCaused, !mayFail(error) { world.complain("\(step), after \(time): \(error)") }
  }
}

/// A value that a task hands out.
private final class Unchecked<Value> { var value: Value? }

extension Result {
  fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension UVError {
  /// What a task or a promise has caught.
  fileprivate init(caught error: any Error) {
    self =
      error as? UVError
      ?? UVError(
        error is CancellationError || error.isCancelled ? .cancelled : .invalidArgument, operation: "\(error)"
      )
  }
}
