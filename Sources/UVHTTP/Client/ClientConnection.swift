import UV

/// A connection to a server, which serves one request at a time.
final class ClientConnection: PoolResource {
  let stream: ByteStream
  /// Whether a request or its answer is under way.
  var isInUse = false
  /// Whether the last answer has said that the connection goes on.
  var keepsAlive = true
  /// Whether the program has the stream now, for another protocol.
  var isHandedOver = false
  /// How many requests it has served. One that has served none is new, and isn't known to have been idle.
  var servedCount = 0

  init(_ stream: ByteStream) { self.stream = stream }

  var isReusable: Bool { !isInUse && keepsAlive && stream.isReusable }

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest { stream.idling(done) }

  func close() -> Request<Void> { isHandedOver ? .value(stream.loop, ()) : stream.close() }
}
