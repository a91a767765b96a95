import UV

/// The root of a future that its owner completes. It keeps the loop running until then, and settles the
/// future on the loop, whatever thread completes it.
struct InputRoot {
  /// Nil where there is no loop; the future has a gate then.
  let ticket: RemoteTicket?

  /// - Parameter result: The type of the future.
  init(for result: @autoclosure () -> Any.Type) {
    ticket = EventLoop.current.map { RemoteTicket(keeping: $0, for: result()) }
  }

  func attach<Output, Failure: Error>(to future: Future<Output, Failure>) {
    if ticket == nil { future.gate = Gate() }
  }

  /// Settles the future; at once on its loop's thread. Ignored if it has been settled.
  func settle<Output, Failure: Error>(
    _ future: Future<Output, Failure>, _ settlement: Settlement<Output, Failure>
  ) {
    guard let ticket else {
      future.gate?.run { future.settle(settlement) }
      return
    }
    guard ticket.claim() else { return }
    if ticket.takeNow() != nil { return future.settle(settlement) }
    send(ticket, future, settlement)
  }
  func send<Output, Failure: Error>(
    _ ticket: RemoteTicket, _ future: Future<Output, Failure>, _ settlement: Settlement<Output, Failure>
  ) {
    // Sound: the caller gives the value up, and the loop takes it.
    let transfer = UnsafeTransfer((future, settlement))
    ticket.complete { _ in transfer.value.0.settle(transfer.value.1) }
  }

  /// Stops keeping the loop running for a future that has been settled otherwise.
  func release() {
    if let ticket, ticket.claim() { ticket.completeNow { _ in } }
  }

  /// Ends the chain of a future that goes away unsettled as cancelled; called in its `deinit`.
  func lose<Output, Failure: Error>(_ future: Future<Output, Failure>) {
    guard future.isActive, ticket?.claim() ?? true else { return }
    // Not through `settle`: nothing may keep the future any more.
    let branches = future.node.branches
    future.node.branches = []
    // Sound: nobody else knows of them any more.
    let transfer = UnsafeTransfer(branches)
    func end() {
      if !transfer.value.isEmpty { Propagation.run { Propagation.visit(transfer.value, .cancelled) } }
    }
    if let ticket { ticket.completeNow { _ in end() } } else { end() }
  }
}
