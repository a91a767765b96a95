import CUV

extension WriteQueue {
  /// Until when the writes that wait here are gathered.
  enum Gathering {
    /// None are.
    case none
    /// Until the start of the next turn, which has been arranged.
    case nextTurn
    /// Until the stream has delivered the bytes that it has read. There are some if `isDue`.
    case delivering(isDue: Bool)

    /// Whether there are writes, and it is arranged when they leave.
    var isDue: Bool {
      switch self {
      case .none, .delivering(isDue: false): false
      case .nextTurn, .delivering(isDue: true): true
      }
    }

    /// Whether the stream delivers what it has read.
    var isDelivering: Bool { if case .delivering = self { true } else { false } }

    /// The first write waits. Returns whether the next turn has to be arranged.
    mutating func begin() -> Bool {
      switch self {
      case .none:
        self = .nextTurn
        return true
      case .delivering(isDue: false): self = .delivering(isDue: true)
      case .nextTurn, .delivering(isDue: true): assertionFailure("writes are gathered already")
      }
      return false
    }

    /// The writes that wait leave now.
    mutating func flush() {
      switch self {
      case .none, .nextTurn: self = .none
      case .delivering: self = .delivering(isDue: false)
      }
    }

    mutating func beginDelivering() {
      switch self {
      case .none: self = .delivering(isDue: false)
      case .nextTurn: self = .delivering(isDue: true)
      case .delivering: assertionFailure("a stream that delivers begins to deliver")
      }
    }

    /// Returns whether there are writes, which leave now.
    mutating func endDelivering() -> Bool {
      switch self {
      case .delivering(let isDue):
        self = .none
        return isDue
      case .none, .nextTurn:
        assertionFailure("a stream ends delivering that didn't deliver")
        return false
      }
    }
  }

  /// How far the end of the writing side is.
  enum Shutdown {
    /// Nobody has asked for it.
    case open
    /// It comes after the writes that wait, and after the filter's last word.
    case waits
    /// libuv ends the writing side, or has ended it.
    case begun
    /// A write before it has failed, or libuv has refused it, or the stream closes first.
    case failed

    func mayBecome(_ next: Shutdown) -> Bool {
      switch (self, next) {
      case (.open, .waits), (.waits, .begun), (.waits, .failed): true
      case (.open, _), (.waits, _), (.begun, _), (.failed, _): false
      }
    }
  }
}

/// Ends the writing side, after everything that was written before.
extension WriteQueue {
  func shutDown(_ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal() {
      // A second shutdown fails with the error that libuv would give it.
      let code = shutdown != .open && code == UV_EPIPE.rawValue ? UV_ENOTCONN.rawValue : code
      loop.answer { done(.failure(failure(code, "shutdown"))) }
    } else {
      shutdown = .waits
      if isEmpty { startShutdown(done) } else { shutdownWaiter = done }
      return PendingRequest(self, slot: Slot.shutdown.rawValue)
    }
    return PendingRequest()
  }

  /// Ends the waiting only; the writing side ends all the same.
  func cancelShutdown() {
    guard let done = shutdownWaiter else { return }
    shutdownWaiter = { _ in }
    loop.queueMicrotask { done(.failure(failure(UV_ECANCELED.rawValue, "shutdown"))) }
  }

  func startShutdown(_ done: @escaping Completion<Void>) {
    if let filter, filter.end() {
      // The filter's goodbye leaves first. Then this is called again.
      shutdownWaiter = done
      return flushOutput()
    }
    let request = shutdownRequest ?? .allocate(capacity: 1)
    shutdownRequest = request
    let code = uv_shutdown(request, owner.stream, didShutDown)
    shutdown = code < 0 ? .failed : .begun
    if code < 0 {
      loop.queueMicrotask { done(Self.shutdownResult(code)) }
    } else {
      shutdownWaiter = done
      owner.keepAlive(.shutdown)
    }
  }

  fileprivate func finishShutdown(_ code: Int32) {
    let waiter = shutdownWaiter.take()
    // The reader of a pipe that isn't a socket sees the end once the last writer has closed it.
    let endsByClosing = code == UV_ENOTSOCK.rawValue && owner.endsByClosing
    if endsByClosing { owner.close() }
    waiter?(endsByClosing ? .success(()) : Self.shutdownResult(code))
    owner.letGo(.shutdown)
  }

  /// If the peer has gone already, it needn't be notified of the end.
  private static func shutdownResult(_ code: Int32) -> Result<Void, UVError> {
    code < 0 && code != UV_ENOTCONN.rawValue ? .failure(failure(code, "shutdown")) : .success(())
  }
}

private func didShutDown(_ request: UnsafeMutablePointer<uv_shutdown_t>?, _ code: Int32) {
  let stream = owner(of: request!.pointee.handle, as: ByteStream.self)
  let loop = stream.loop
  loop.callback { stream.writes.finishShutdown(code) }
}

extension WriteQueue {
  /// Offers the system the writes that wait here, and notes for each whether it has been taken. The stream
  /// closes next. libuv would have offered each write at once, so whatever there is room for must leave even
  /// if the stream is closed.
  func handOver() {
    // If libuv has begun a write and not ended it, nothing can overtake that.
    guard pending.noteInFlight(rest: cuv_write_queue_size(owner.stream)) else { return }
    let code = filter.map { handOver(through: $0) } ?? pending.offerQueued(to: owner.stream)
    closingCode = code == UV_EAGAIN.rawValue ? UV_ECANCELED.rawValue : code
  }
}

extension WriteQueue: Goodbye {
  /// Says the filter's last word, as far as there is room. The stream has gone, and closes next. Nothing
  /// waits here, and `owner` is no more.
  func sayGoodbye() {
    loop.assertOnLoop()
    guard takesMore, !block.isClosing, let filter, filter.end() else { return }
    let output = filter.output
    // Without room the word is lost: the stream closes.
    _ = cuv_try_write(cuv_stream(block.raw), output.baseAddress!, output.count)
  }
}
