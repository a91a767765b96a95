#if HTTP || Everything
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
/// The head leaves with the first bytes. Once it has left, no status can report a failure to the client.
/// So a writer that is dropped before it is finished breaks the connection off.
public final class HTTPResponseWriter {
  let connection: ServerConnection
  let number: Int
  private let framing: ResponseHead.Framing
  let isHead: Bool
  /// The head, until it has been written.
  private var head: ResponseHead?
  /// How many bytes are left of the length; nil if none was promised.
  private var rest: Int?
  private var isFinished = false
  /// Whether a part of a file is on its way.
  var isSending = false
  /// The writes that follow that part.
  var waiting: [() -> Void] = []

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
    } else if case .untilClose = framing {
      // An answer that has its end there must not look complete.
      connection.stream.closer.cutOff()
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
  public func write(_ bytes: Bytes) -> Request<Void> { Request(of: loop) { [self] in write(bytes, $0) } }

  /// Writes bytes of the body; see ``write(_:)``.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal(of: bytes.count) { return connection.fail(code, done) }
    return put(bytes, done)
  }

  /// Counts bytes that are to be written.
  ///
  /// - Returns: Why they can't be; nil if they can.
  func refusal(of count: Int) -> UVError.Code? {
    if isFinished { return .alreadyInProgress }
    guard let rest else { return nil }
    if count > rest { return .invalidArgument }
    self.rest = rest - count
    return nil
  }

  /// Ends the answer.
  ///
  /// - Parameter trailers: Fields after a chunked body. Clients without chunks don't get them.
  /// - Returns: A request that ends when the whole answer is on its way. It fails as ``write(_:)-(Bytes)`` does,
  ///   and with `invalidArgument` if bytes are missing that were promised. The
  ///   connection then breaks off.
  public func finish(_ trailers: HTTPFields = [:]) -> Request<Void> {
    Request(of: loop) { [self] in finish(trailers, $0) }
  }

  /// Ends the answer; see ``finish(_:)-(HTTPFields)``.
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
    guard mayWrite else { return wait(done) { [self] in put(bytes, $0) } }
    putHead()
    if !isHead, !bytes.isEmpty {
      beginChunk(bytes.count)
      connection.append(bytes)
      endChunk()
    }
    connection.flushPart()
    return connection.notify(done)
  }

  func putHead() {
    if let head = head.take() { connection.begin(head) }
  }

  func beginChunk(_ count: Int) {
    guard case .chunked = framing else { return }
    connection.output.append(String(count, radix: 16))
    connection.output.append("\r\n")
  }

  func endChunk() { if case .chunked = framing { connection.output.append("\r\n") } }

  /// Whether it is this answer's turn, and no file is on its way.
  var mayWrite: Bool { connection.isTurn(number) && !isSending }

  /// Has `body` called when that is so, or when the connection has ended.
  func wait(
    _ done: @escaping Completion<Void>, _ body: @escaping (@escaping Completion<Void>) -> PendingRequest
  ) -> PendingRequest {
    if connection.hasGone(number) { return connection.fail(connection.endCode, done) }
    guard connection.isTurn(number) else { return connection.wait(number) { body(done) } }
    var given: PendingRequest?
    waiting.append { given = body(done) }
    return PendingRequest { [connection] in if let given { given.cancel() } else { connection.giveUp() } }
  }

  private func putEnd(_ trailers: HTTPFields, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard mayWrite else { return wait(done) { [self] in putEnd(trailers, $0) } }
    putHead()
    if case .chunked = framing, !isHead {
      connection.output.append("0\r\n")
      for field in trailers where !ResponseHead.isOurs(field.name) {
        ResponseHead.append(field, to: &connection.output)
      }
      connection.output.append("\r\n")
    }
    defer { connection.endTurn() }
    return connection.notify(done)
  }
}
#endif
