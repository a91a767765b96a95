#if HTTP || Everything
import HTTPTypes
import UV

/// The end of an exchange: in good order, with an error, or with another protocol.
extension ClientExchange {
  private func endWork() {
    phase = .over
    connection.exchange = nil
    if delivery != nil { connection.bodyExchange = nil }
    connection.limit(until: nil)
    sender?.stop()
  }

  /// The answer is complete. The connection goes back if nothing of the request is left to be sent, and nothing
  /// follows the answer.
  func finish() {
    endWork()
    delivery?.source?.finish()
    connection.servedCount += 1
    if !isSent || !input.isEmpty || hasEnded { connection.keepsAlive = false }
    guard let lease = lease.take(), let pool = pool.take() else { return }
    if connection.keepsAlive { pool.put(lease) } else { lease.discard() }
  }

  /// The server speaks another protocol from here on. The connection leaves the pool, so that it counts no
  /// longer among those to its origin.
  func handOver(_ answer: ClientResponse) throws(Refusal) {
    guard outgoing.hasAsked(for: answer.response) else {
      throw .badRequest("the server switches to a protocol that nobody has asked for")
    }
    endWork()
    (stream.readTimeout, stream.writeTimeout) = (nil, nil)
    stream.unread(input)
    connection.isHandedOver = true
    lease.discard()
    report(.success(HTTPClientResponse(HTTPBody(ended: loop, of: answer), to: outgoing)))
  }

  func refuse(_ refusal: Refusal) {
    let code: UVError.Code = refusal.status == .contentTooLarge ? .messageTooLong : .protocolError
    fail(UVError(code, operation: "http", message: refusal.reason))
  }

  /// Ends the exchange, and closes its connection at once.
  func fail(_ error: UVError) {
    if phase == .over { return }
    endWork()
    lease.discard()
    delivery?.source?.finish(error)
    report(.failure(error))
  }
}
#endif
