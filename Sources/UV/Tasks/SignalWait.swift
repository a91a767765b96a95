/// An object that a caller waits at until another signals it.
protocol SignalledObject: AnyObject {
  /// Those who wait.
  var line: WaitingLine<SignalWait> { get set }

  func signal()
}

/// The wait of one caller for a signal.
final class SignalWait: SingleRequest<Void>, LineWaiter {
  private enum State {
    case waiting
    /// The caller is answered in a microtask.
    case signalled
    /// A signal that was on its way goes to the next.
    case cancelled
  }

  private let object: any SignalledObject
  private var state = State.waiting

  init(
    _ loop: EventLoop, at object: any SignalledObject, _ operation: String,
    _ done: @escaping Completion<Void>
  ) {
    self.object = object
    super.init(loop, operation, done)
  }

  var isWaiting: Bool { state == .waiting }

  /// Begins the wait, which keeps the loop running.
  func start() -> PendingRequest {
    if loop.isClosed {
      refuse(UVError.Code.loopClosed.rawValue)
      return PendingRequest()
    }
    object.line.append(self)
    loop.requests.insert(self)
    loop.beginWork()
    return PendingRequest(self)
  }

  /// Answers the caller, not on the stack of the one who signals.
  func signalled() {
    state = .signalled
    end()
    loop.queueMicrotask { [self] in
      if state == .signalled { answer { .success(()) } } else { passOn() }
    }
  }

  private func passOn() {
    endCancelled()
    object.signal()
  }

  private func end() {
    loop.endWork()
    loop.requests.remove(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    let wasWaiting = isWaiting
    state = .cancelled
    guard wasWaiting else { return }
    end()
    endCancelled()
    object.line.oneLeft()
  }
}
