#if HTTP || Everything
import UV

/// Clients that go before they have their answer, and connections that have lasted long enough.
extension ServerConnection {
  /// Waits until the client goes before an answer is complete.
  ///
  /// - Returns: A way to cease to wait.
  func whenGone(_ number: Int, _ done: @escaping Completion<Void>) -> PendingRequest {
    if number < answers.firstNumber { return loop.answer(done, Self.isAnswered) }
    if hasEnded || !isServing {
      loop.queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
    let waiter = answers.departures[number, default: Waiters()].add(done)
    willNotBeUpgraded(number)
    return PendingRequest("clientGone") { [self] in
      guard let done = answers.departures[number]?.take(waiter) else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "clientGone"))) }
    }
  }

  private static var isAnswered: UVError {
    UVError(.cancelled, operation: "clientGone", message: "the request has been answered")
  }

  /// The client has ended what it sends, or the connection has ended: nobody may take the answers.
  func reportDeparture() {
    if answers.departures.isEmpty { return }
    let waiters = answers.departures.values.flatMap { waiters in
      var waiters = waiters
      return waiters.takeAll()
    }
    answers.departures = [:]
    for done in waiters { loop.queueMicrotask { done(.success(())) } }
  }

  /// An answer has been given completely.
  func reportStay(_ number: Int) {
    guard var waiters = answers.departures.removeValue(forKey: number) else { return }
    for done in waiters.takeAll() { loop.answer(done, Self.isAnswered) }
  }

  // MARK: The connection's life

  func limitLife() {
    // It is let go of when the connection closes.
    life = loop.sleepQuietly(for: limits.lifetime) { [self] result in
      if case .success = result { endLifeIfIdle() }
    }
  }

  /// Ends a connection that has lasted long enough. The answer under way is the last one; between two requests the client
  /// gets a moment, since one may be on its way.
  func endLifeIfIdle() {
    isLifeOver = true
    if isServing, answers.isEmpty, body.isComplete { stream.readTimeout = limits.lastSilence }
  }
}
#endif
