import HTTPTypes
import UV

/// Writes the body of an answer bit by bit. A program that awaits each write holds one of them at most.
///
/// ```swift
/// let writer = try exchange.begin(HTTPResponse(status: .ok))
/// for try await line in lines { try await writer.write(line).value }
/// try await writer.finish().value
/// ```
///
/// The head leaves with the first bytes. Once it has left, the client can't be told of a failure by a status.
/// So a writer that is dropped before it is finished breaks the connection off.
///
/// libuv has no corresponding type.
public final class HTTPResponseWriter {
  private let connection: ServerConnection
  private let number: Int
  private let framing: ResponseHead.Framing
  private let isHead: Bool
  /// The head, until it has been written.
  private var head: ResponseHead?
  /// How many bytes are left of the length; nil if none was promised.
  private var rest: Int?
  private var isFinished = false

  init(
    _ connection: ServerConnection, _ number: Int, _ head: ResponseHead, isHead: Bool
  ) {
    (self.connection, self.number, self.head, self.isHead) = (connection, number, head, isHead)
    framing = head.framing
    if case .length(let count) = framing { rest = count }
  }

  deinit {
    if isFinished { return }
    if connection.loop.executor.isOnLoop {
      connection.breakOff(number)
    } else {
      connection.stream.closer.close()
    }
  }

  /// The loop that the writer belongs to.
  public var loop: EventLoop { connection.loop }

  /// Writes bytes of the body.
  ///
  /// - Parameter bytes: The bytes. None write the head, if that hasn't left.
  /// - Returns: A request that ends when the bytes are on their way: when the answers before this one have been
  ///   given, and no more than 64 KiB wait for the client. It fails with `alreadyInProgress` after
  ///   ``finish(_:)``, with `invalidArgument` for more bytes than were promised, which aren't written, and with
  ///   `brokenPipe` if the connection has ended. Cancelling it before it has ended ends the connection.
  ///
  /// libuv has no corresponding function.
  public func write(_ bytes: Bytes) -> Request<Void> { Request(loop) { [self] in write(bytes, $0) } }

  /// Writes bytes of the body; see ``write(_:)``.
  ///
  /// libuv has no corresponding function.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    if isFinished { return connection.fail(.alreadyInProgress, done) }
    if let rest {
      if bytes.count > rest { return connection.fail(.invalidArgument, done) }
      self.rest = rest - bytes.count
    }
    return put(bytes, done)
  }

  /// Ends the answer.
  ///
  /// - Parameter trailers: Fields after a chunked body. Clients without chunks don't get them.
  /// - Returns: A request that ends when the whole answer is on its way. It fails as ``write(_:)-(Bytes)`` does,
  ///   and with `invalidArgument` if bytes are missing that were promised. The
  ///   connection then breaks off.
  ///
  /// libuv has no corresponding function.
  public func finish(_ trailers: HTTPFields = [:]) -> Request<Void> {
    Request(loop) { [self] in finish(trailers, $0) }
  }

  /// Ends the answer; see ``finish(_:)-(HTTPFields)``.
  ///
  /// libuv has no corresponding function.
  @discardableResult
  public func finish(_ trailers: HTTPFields = [:], _ done: @escaping Completion<Void>) -> PendingRequest {
    if isFinished { return connection.fail(.alreadyInProgress, done) }
    isFinished = true
    if let rest, rest > 0, !isHead {
      connection.breakOff(number)
      return connection.fail(.invalidArgument, done)
    }
    return putEnd(trailers, done)
  }

  private func put(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard connection.isTurn(number) else {
      if connection.hasGone(number) { return connection.fail(connection.endCode, done) }
      return connection.wait(number) { [self] in _ = put(bytes, done) }
    }
    putHead()
    if !isHead, !bytes.isEmpty {
      if case .chunked = framing {
        connection.output.append(String(bytes.count, radix: 16))
        connection.output.append("\r\n")
        connection.append(bytes)
        connection.output.append("\r\n")
      } else {
        connection.append(bytes)
      }
    }
    connection.flushLater()
    return connection.tell(done)
  }

  private func putHead() {
    if let head = head.take() { connection.begin(head) }
  }

  private func putEnd(_ trailers: HTTPFields, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard connection.isTurn(number) else {
      if connection.hasGone(number) { return connection.fail(connection.endCode, done) }
      return connection.wait(number) { [self] in _ = putEnd(trailers, done) }
    }
    putHead()
    if case .chunked = framing, !isHead {
      connection.output.append("0\r\n")
      for field in trailers where !ResponseHead.isOurs(field.name) {
        ResponseHead.append(field, to: &connection.output)
      }
      connection.output.append("\r\n")
    }
    defer { connection.endTurn() }
    return connection.tell(done)
  }
}
