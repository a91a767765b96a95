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
      request.tellLater { done(.failure(error)) }
    case .drop(let hasAnswer):
      _ = request.question.take(Question.self)
      if hasAnswer { _ = request.outcome.take(Result<Success, UVError>.self) }
    }
  }
}
