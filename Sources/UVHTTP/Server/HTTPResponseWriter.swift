import HTTPTypes
import UV

/// Writes the body of an answer bit by bit. A writer that awaits each write holds one of them at most.
///
/// The head leaves with the first bytes. The client can't be told of a failure any more once it has left. So
/// a writer that is dropped before it is finished breaks the connection off.
package final class HTTPResponseWriter {
  private let connection: ServerConnection
  private let framing: ResponseHead.Framing
  private let closer: HandleCloser
  /// The head, until it has been written.
  private var head: Bytes?
  /// How many bytes are left of the length; nil if none was promised.
  private var rest: Int?
  private var isFinished = false

  init(_ connection: ServerConnection, _ head: Bytes, _ framing: ResponseHead.Framing) {
    (self.connection, self.head, self.framing) = (connection, head, framing)
    closer = connection.stream.closer
    if case .length(let count) = framing { rest = count }
  }

  deinit {
    if isFinished { return }
    if connection.loop.executor.isOnLoop { connection.close() } else { closer.close() }
  }

  package var loop: EventLoop { connection.loop }

  /// Writes bytes of the body.
  ///
  /// - Parameter bytes: The bytes. None write the head, if that hasn't left.
  /// - Returns: A request that ends when the system has taken the bytes. It fails with `alreadyInProgress`
  ///   after ``finish(_:)``, with `invalidArgument` for more bytes than were promised, which aren't written,
  ///   and with the errors of a write.
  package func write(_ bytes: Bytes) -> Request<Void> { Request(loop) { [self] in write(bytes, $0) } }

  /// Writes bytes of the body; see ``write(_:)``.
  @discardableResult
  package func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    if isFinished { return connection.fail(.alreadyInProgress, done) }
    if let rest {
      if bytes.count > rest { return connection.fail(.invalidArgument, done) }
      self.rest = rest - bytes.count
    }
    return connection.write(takeHead() + content(bytes), done)
  }

  /// Ends the answer.
  ///
  /// - Parameter trailers: Fields after a chunked body. Clients without chunks don't get them.
  /// - Returns: A request that ends when the system has taken the whole answer. It fails as
  ///   ``write(_:)-(Bytes)`` does, and with `invalidArgument` if bytes are missing that were promised. The
  ///   connection then breaks off.
  package func finish(_ trailers: HTTPFields = [:]) -> Request<Void> {
    Request(loop) { [self] in finish(trailers, $0) }
  }

  /// Ends the answer; see ``finish(_:)-(HTTPFields)``.
  @discardableResult
  package func finish(_ trailers: HTTPFields = [:], _ done: @escaping Completion<Void>) -> PendingRequest {
    if isFinished { return connection.fail(.alreadyInProgress, done) }
    isFinished = true
    if let rest, rest > 0, !connection.head.isHead {
      connection.close()
      return connection.fail(.invalidArgument, done)
    }
    var buffers = takeHead()
    if case .chunked = framing, !connection.head.isHead {
      var end = BytesBuilder()
      end.append("0\r\n")
      for field in trailers where !ResponseHead.isOurs(field.name) { ResponseHead.append(field, to: &end) }
      end.append("\r\n")
      buffers.append(end.takeBytes())
    }
    connection.endAnswer()
    return connection.write(buffers) { [connection] result in
      done(result)
      connection.didAnswer(result)
    }
  }

  private func takeHead() -> [Bytes] {
    guard let head else { return [] }
    self.head = nil
    return [head]
  }

  private func content(_ bytes: Bytes) -> [Bytes] {
    if bytes.isEmpty || connection.head.isHead { return [] }
    guard case .chunked = framing else { return [bytes] }
    return [Bytes(String(bytes.count, radix: 16) + "\r\n"), bytes, "\r\n"]
  }
}
