extension Request {
  /// Starts the request and waits for its answer, on the loop's thread. A frame that has come already doesn't
  /// suspend the task. Neither does the body of an HTTP message that has come whole.
  ///
  /// If the task is cancelled, the request is cancelled too, and this property throws `cancelled`. In a task
  /// that is cancelled already, the request isn't started; the error names it.
  ///
  /// Requests aren't `Sendable`, so `async let` doesn't take this property. To wait for several requests at
  /// once, start each in a task of its own with `spawn` of ``EventLoop``.
  ///
  /// - Throws: The error that the request fails with.
  @inlinable
  @inline(__always)
  public var value: Success {
    get async throws(UVError) {
      // This is inlined as far as the wait, because each call of an asynchronous function costs a change of
      // executor. The functions that it calls return their errors and don't throw them, as Design/0020 says.
      if let outcome = outcomeIfReady() { return try outcome.get() }
      guard let caller = loop.currentTaskUnlessCancelled() else { throw cancellation }
      guard let task = caller else { return try await waitInAnotherTask().get() }
      let result = await withContinuation { continuation in
        if case .frame = body { startFrame(continuation, task) } else { startWork(continuation, task) }
      }
      task.didWait()
      return try result.value.get()
    }
  }
}

extension Request where Success == Void {
  /// Starts the request and waits for its end, on the loop's thread. A write that the system takes at once
  /// doesn't suspend the task. Neither does an answer of `UVHTTP` that is on its way at once.
  ///
  /// If the task is cancelled, the request is cancelled too, and this property throws `cancelled`. In a task
  /// that is cancelled already, the request isn't started; the error names it.
  ///
  /// - Throws: The error that the request fails with.
  @inlinable
  @inline(__always)
  public var value: Void {
    get async throws(UVError) {
      if case .write(let stream, let bytes, _) = body {
        let start = stream.startWrite(bytes)
        if !start.isEnd(of: bytes) { try await stream.finishWrite(of: bytes, start).get() }
        return
      }
      if case .writeAll(let stream, let buffers, _) = body {
        return try await stream.writeForTask(buffers).get()
      }
      if case .direct(let work, _, _) = body, let outcome = work.doAtOnceForTask() {
        return try outcome.get()
      }
      guard let caller = loop.currentTaskUnlessCancelled() else { throw cancellation }
      guard let task = caller else { return try await waitInAnotherTask().get() }
      let result = await withContinuation { continuation in
        if case .sleep(let loop, let duration, _) = body {
          task.sleep(duration, on: loop, continuation)
        } else {
          startWork(continuation, task)
        }
      }
      task.didWait()
      try result.value.get()
    }
  }
}

extension Request {
  /// The outcome of a frame that has come already, and of other work whose answer is known.
  @inlinable
  @inline(__always)
  func outcomeIfReady() -> Result<Success, UVError>? {
    switch body {
    case .frame(let stream, let frame): stream.outcomeIfReady(frame)?.typed()
    case .shared: if let work = sharedWork, work.isKnown { work.answerForTask(sharedArgument) } else { nil }
    default: nil
    }
  }

  /// Starts the reading of a frame for a task, which is resumed with the answer. Not inlined: a task that
  /// waits for something else needs no memory for it.
  @usableFromInline
  func startFrame(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Success, UVError>>, Never>, _ task: LoopTaskBase
  ) {
    guard case .frame(let stream, let frame) = body else { return }
    // Sound: the value of a frame is `Bytes?`, so both types are the same.
    let continuation = unsafeBitCast(
      continuation, to: UnsafeContinuation<UnsafeTransfer<Result<Bytes?, UVError>>, Never>.self)
    task.willWait(for: stream.read(frame, continuation))
  }

  /// Starts a request that isn't a frame for a task, which is resumed with the answer.
  @inlinable
  func startWork(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Success, UVError>>, Never>, _ task: LoopTaskBase
  ) {
    if case .custom(_, let name, let start) = body {
      let answer = NoticedAnswer(continuation, task, name)
      return task.willWait(for: start { answer.give($0) })
    }
    let answer = SingleAnswer(continuation)
    task.willWait(for: start({ answer.give($0) }, void: { answer.give($0.typed()) }))
  }

  @usableFromInline
  nonisolated(nonsending) func waitInAnotherTask() async -> Result<Success, UVError> {
    if Task.isCancelled {
      await loop.giveWay()
      return .failure(cancellation)
    }
    return await suspendWithHandler(on: loop, isolation: #isolation) { continuation in
      let answer = SingleAnswer(continuation)
      return start { answer.give($0) }
    }
  }
}
