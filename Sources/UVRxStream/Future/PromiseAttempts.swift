import UV

/// The attempts at a promise's task that have not ended, and the decisions about the next.
class PromiseAttempts {
  private var cancels: [Int: () -> Void] = [:]
  private var count = 0
  private var isCancelled = false

  /// Begins one, whose `cancel` is called if the chain is cancelled before its end; nil if it has been.
  func begin(_ cancel: @escaping () -> Void) -> Int? {
    if isCancelled { return nil }
    count += 1
    cancels[count] = cancel
    return count
  }

  /// Ends one; false if it has ended, or been cancelled.
  func end(_ number: Int) -> Bool { cancels.removeValue(forKey: number) != nil }

  func cancel() {
    guard !isCancelled else { return }
    isCancelled = true
    willCancel()
    let all = cancels.sorted { $0.key < $1.key }
    cancels = [:]
    for (_, cancel) in all { cancel() }
  }

  /// Called before the first is cancelled.
  func willCancel() {}
}

/// The task of a promise.
final class PromiseWork<Output, Failure: Error>: PromiseAttempts {
  typealias State = Observable<StreamState<Failure>, Never>
  typealias Start = (State, @escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  private let task: Start
  private let state = State(value: .active)

  init(_ task: @escaping Start) { self.task = task }

  func run(_ done: @escaping (Settlement<Output, Failure>) -> Void) {
    let loop = EventLoop.needed(for: "StreamPromise")
    // Keeps the loop running, and brings the result there.
    let ticket = RemoteTicket(keeping: loop, for: StreamPromise<Output, Failure>.self)
    let number = begin { [weak ticket] in
      if let ticket, ticket.claim() { ticket.completeNow { _ in } }
      done(.cancelled)
    }
    guard let number else { return done(.cancelled) }
    // Sound: used on the loop's thread.
    let own = UnsafeTransfer((work: self, done: done))
    task(state) { result in
      guard ticket.claim() else { return }
      // Sound: the caller gives the result up, and the loop takes it.
      let transfer = UnsafeTransfer(result)
      ticket.completeNow { _ in
        let (work, done) = own.value
        guard work.end(number) else { return }
        switch transfer.value {
        case .success(let value): done(.value(value))
        case .failure(let error): done(.failure(error))
        }
      }
    }
  }

  override func willCancel() { state.receive(.next(.terminated(reason: .cancelled))) }
}
