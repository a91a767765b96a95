/// What is done with the functions of a request that another loop answers, where the answer's type is known.
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
    request.question.pointer(to: Question.self).initialize(to: question)
    request.done.pointer(to: Done.self).initialize(to: done)
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
      request.question.pointer(to: Question.self).deinitialize(count: 1)
      let done = request.done.pointer(to: Done.self).move()
      let result = request.outcome.take(Result<Success, UVError>.self)
      // Before the caller is told, because it may ask the next question with this object.
      request.recycle()
      done(result)
    case .fail(let error):
      // Told once, and then not by `answer`. The question is left for `drop`.
      let done = request.done.pointer(to: Done.self).move()
      request.tellLater { done(.failure(error)) }
    case .drop(let hasAnswer):
      request.question.pointer(to: Question.self).deinitialize(count: 1)
      if hasAnswer { _ = request.outcome.take(Result<Success, UVError>.self) }
    }
  }
}

/// Room for a function, inside an object, for whoever knows its type.
@usableFromInline
struct FunctionStorage {
  @usableFromInline var words: (UInt, UInt) = (0, 0)

  @inlinable @inline(__always)
  init() {}

  /// Where the function is.
  @inlinable @inline(__always)
  mutating func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> {
    assert(MemoryLayout<T>.size == MemoryLayout<FunctionStorage>.size)
    // Sound: the memory is that of the object which this is in, and lives as long as that.
    return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0).assumingMemoryBound(to: type) }
  }
}
