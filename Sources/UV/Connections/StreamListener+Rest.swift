import CUV

extension StreamListener {
  /// Gives readers the connections that have waited when the service ended, and ends the listener with
  /// the last one. Connections that a busy reader hasn't asked for yet are accepted and kept.
  func acceptRest() {
    if isClosing { return }
    var hasDelivered = false
    while source.hasDemand, let connection = left.popFirst() ?? acceptOneOfRest() {
      hasDelivered = true
      source.deliver(connection)
    }
    // A reader that has got a connection asks for the next one once it has run.
    if hasDelivered { return loop.queueMicrotask { [self] in acceptRest() } }
    while !source.hasDemand, let connection = acceptOneOfRest() { left.append(connection) }
    if left.isEmpty { return endListening() }
    keepAlive(.shutdown)
    source.pauseIfUnwanted()
    loop.listenerWaits(self)
  }

  /// Accepts one of those that have waited when the service ended; nil if there is none.
  private func acceptOneOfRest() -> Connection? {
    while restCount > 0, let listening = try? fileDescriptor() {
      restCount -= 1
      let descriptor = cuv_accept(listening)
      // None waits any more, or the system has no room for it.
      if descriptor == UV_EAGAIN.rawValue || AcceptBackoff.isNeeded(descriptor) { restCount = 0 }
      if descriptor >= 0, let connection = accept(descriptor) { return connection }
    }
    return nil
  }
}
