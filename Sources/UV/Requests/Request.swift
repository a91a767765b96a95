/// An operation on a loop that delivers one result. A `Request` describes work; it doesn't start until you
/// ask.
///
/// You can use the same request in every style. Each use starts the work anew:
///
/// ```swift
/// let request = loop.files.stat("/etc/hosts")
/// request.start { result in … }            // callback
/// request.promise().done { status in … }   // import UVPromises
/// request.publisher().sink { … }           // import UVFutures
/// let status = try await request.value     // async/await
/// ```
///
/// `close()`, `closeReset()` and `detach()` begin at once, and their request only waits for the end. Any other request that
/// nobody starts does nothing. The compiler warns if a statement drops one, or if a closure returns one to
/// `run`, `spawn`, `withTasks` or `withDeadline` of the loop. If the closure of a `map` returns one, debug builds report it.
///
/// The corresponding libuv type is `uv_req_t`.
public struct Request<Success> {
  /// How to start the work. A request without a value has a case of its own. Its function has a known type,
  /// so calling it needs none of the allocations that converting a generic function costs. A write, a
  /// frame that is read and a sleep have a case of their own too: they are by far the most frequent requests, and
  /// need no closure here.
  @usableFromInline
  enum Body {
    @usableFromInline typealias AsVoid = (@escaping Completion<Success>) -> Completion<Void>

    case start(EventLoop, RequestName, (@escaping Completion<Success>) -> PendingRequest)
    /// Work of a program's own, which may lose its completion; see ``LossNotice``.
    case custom(EventLoop, RequestName, (@escaping Completion<Success>) -> PendingRequest)
    case void(EventLoop, RequestName, (@escaping Completion<Void>) -> PendingRequest, AsVoid)
    case sleep(EventLoop, Duration, AsVoid)
    case direct(any DirectWork, RequestName, AsVoid)
    case shared(any SharedWork<Success>, Int, RequestName)
    case write(ByteStream, Bytes, AsVoid)
    case writeAll(ByteStream, [Bytes], AsVoid)
    /// Its value is `Bytes?`.
    case frame(ByteStream, ReadRequest)
  }

  @usableFromInline let body: Body

  /// The loop that the work is started on and that the answer arrives on.
  @inlinable
  public var loop: EventLoop {
    switch body {
    case .start(let loop, _, _), .custom(let loop, _, _), .void(let loop, _, _, _), .sleep(let loop, _, _):
      loop
    case .direct(let work, _, _): work.loop
    case .shared(let work, _, _): work.loop
    case .write(let stream, _, _), .writeAll(let stream, _, _), .frame(let stream, _): stream.loop
    }
  }

  /// Creates a request of your own.
  ///
  /// - Parameters:
  ///   - loop: The loop on which the work is started and the answer arrives.
  ///   - operation: A name for the work. It is the ``UVError/operation`` of a cancelled task that awaits the
  ///     request, and so doesn't start it. Unless you say otherwise, it is the name of the function that
  ///     creates the request.
  ///   - start: Starts the work each time the request is used, and returns a way to cancel it. It must call
  ///     its argument once, on the loop's thread, and only after it has returned. If a task waits for the
  ///     request, a second call stops the program. If the argument is released without a call, on any thread, no
  ///     result can come any more: the request then fails with `abandoned`.
  @inlinable
  public init(
    _ loop: EventLoop, operation: StaticString = #function,
    _ start: @escaping (@escaping Completion<Success>) -> PendingRequest
  ) {
    body = .custom(loop, RequestName(operation), start)
  }

  /// Creates a request of this package, which is answered in any case.
  @inlinable
  package init(
    of loop: EventLoop, operation: StaticString = #function,
    _ start: @escaping (@escaping Completion<Success>) -> PendingRequest
  ) {
    body = .start(loop, RequestName(operation), start)
  }

  /// Starts the work. Call it on the loop's thread.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel the work.
  @inlinable
  @discardableResult
  public func start(_ done: @escaping Completion<Success>) -> PendingRequest {
    switch body {
    case .start(_, _, let start): start(done)
    case .custom(let loop, let name, let start): LossNotice.start(start, loop, name, done)
    case .void(_, _, let start, let asVoid): start(asVoid(done))
    case .sleep(let loop, let duration, let asVoid): loop.startSleep(duration, asVoid(done))
    case .direct(let work, _, let asVoid): work.start(asVoid(done))
    case .shared(let work, let argument, _): work.start(argument, GenericCompletion(done))
    case .write(let stream, let bytes, let asVoid): stream.write(bytes, asVoid(done))
    case .writeAll(let stream, let buffers, let asVoid): stream.write(buffers, asVoid(done))
    case .frame(let stream, let frame): stream.read(frame) { done($0.typed()) }
    }
  }
}

extension Request {
  /// Starts the work for the adaptors of the styles, as ``start(_:)`` does. A request without a value calls
  /// `void` in place of `done`. Both must do the same. Only the one that is called is made.
  @inlinable
  @inline(__always)
  package func start(
    _ done: @autoclosure () -> Completion<Success>, void: @autoclosure () -> Completion<Void>
  ) -> PendingRequest {
    switch body {
    case .start(_, _, let start): return start(done())
    case .custom(let loop, let name, let start): return LossNotice.start(start, loop, name, done())
    case .void(_, _, let start, _): return start(void())
    case .sleep(let loop, let duration, _): return loop.startSleep(duration, void())
    case .direct(let work, _, _): return work.start(void())
    case .shared: return sharedWork!.start(sharedArgument, GenericCompletion(done()))
    case .write(let stream, let bytes, _): return stream.write(bytes, void())
    case .writeAll(let stream, let buffers, _): return stream.write(buffers, void())
    case .frame(let stream, let frame):
      let done = done()
      return stream.read(frame) { done($0.typed()) }
    }
  }
}

extension Result where Failure == UVError {
  /// The same result, in code that knows the type of its value, such as `Void`, only as a type parameter.
  @inlinable
  @inline(__always)
  package func typed<Value>() -> Result<Value, UVError> {
    switch self {
    case .success(let value): .success(value as! Value)
    case .failure(let error): .failure(error)
    }
  }
}

extension Request where Success == Void {
  /// Creates a request of this package that has no value, and is answered in any case.
  @inlinable
  package init(
    of loop: EventLoop, operation: StaticString = #function,
    _ start: @escaping (@escaping Completion<Void>) -> PendingRequest
  ) {
    body = .void(loop, RequestName(operation), start) { $0 }
  }

  @inlinable
  init(sleepingFor duration: Duration, on loop: EventLoop) {
    body = .sleep(loop, duration) { $0 }
  }

  @inlinable
  @inline(__always)
  init(writing bytes: Bytes, to stream: ByteStream) {
    body = .write(stream, bytes) { $0 }
  }

  @inlinable
  init(writing buffers: [Bytes], to stream: ByteStream) {
    body = .writeAll(stream, buffers) { $0 }
  }
}

extension Request where Success == Bytes? {
  @inlinable
  @inline(__always)
  init(reading frame: ReadRequest, from stream: ByteStream) {
    body = .frame(stream, frame)
  }
}

extension Request {
  /// The same request with its value transformed.
  ///
  /// - Parameter transform: Called on the loop's thread with the value. It isn't called if the request fails.
  public func map<NewSuccess>(_ transform: @escaping (Success) -> NewSuccess) -> Request<NewSuccess> {
    #if DEBUG
    noticeRequests(NewSuccess.self, "map", "write `request.start { … }` or `try await request.value`")
    #endif
    return Request<NewSuccess>(loop, name) { [self] done in
      start { done($0.map(transform)) }
    }
  }
}

/// Requests that the modules of this package make of others.
extension Request {
  /// The request for what this one's value is used for. Cancelling it cancels the one that is under way.
  package func then<Next>(_ next: @escaping (Success) -> Request<Next>) -> Request<Next> {
    Request<Next>(of: loop, operation: "connect") { [self] done in
      var pending = PendingRequest()
      var isCancelled = false
      pending = start { result in
        switch result {
        case .failure(let error): done(.failure(error))
        case .success(let value):
          pending = next(value).start(done)
          if isCancelled { pending.cancel() }
        }
      }
      return PendingRequest {
        isCancelled = true
        pending.cancel()
      }
    }
  }

  /// A request whose value is known.
  package static func value(_ loop: EventLoop, _ value: Success) -> Request {
    Request(of: loop) { done in
      loop.queueMicrotask { done(.success(value)) }
      return PendingRequest()
    }
  }

  /// A request that fails.
  package static func failure(_ loop: EventLoop, _ error: UVError) -> Request {
    Request(of: loop) { loop.answer($0, error) }
  }
}
