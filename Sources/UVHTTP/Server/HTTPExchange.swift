#if HTTP || Everything
import HTTPTypes
import UV

/// A request, and the way to answer it. Use it on its loop's thread.
///
/// There is one answer: whole, by ``respond(_:_:)-(HTTPResponse,Bytes)``, from a file, by
/// ``respond(_:file:from:count:)``, or bit by bit, by ``begin(_:length:)``. A request for another protocol may be
/// answered by ``upgrade(_:)``.
///
/// An exchange that is dropped without an answer is answered with 500 (Internal Server Error), or with the
/// status for a body that was wrong, after which the connection ends.
///
/// RFC 9110 says what requests and answers mean.
public final class HTTPExchange {
  private let connection: ServerConnection
  /// Which request of its connection this is.
  private let number: Int
  private let received: ReceivedHead
  @exclusivity(unchecked) private(set) var isAnswered = false
  /// Whether a task has given the answer, and has to wait because the client is slow to take it.
  @exclusivity(unchecked) private var isToBeWaitedFor = false
  private var madeBody: HTTPBody?

  init(_ connection: ServerConnection, _ number: Int, _ received: ReceivedHead) {
    (self.connection, self.number, self.received) = (connection, number, received)
  }

  var head: RequestHead { received.head }

  deinit {
    if isAnswered { return }
    if connection.loop.executor.isOnLoop {
      connection.exchangeWasDropped(number, madeBody?.refusal)
    } else {
      connection.stream.closer.close()
    }
  }

  /// The body of the request. It ends at once if there is none.
  ///
  /// A client that has asked for leave to send the body (`Expect: 100-continue`) gets it when the body is
  /// first read. After the answer the rest of the body is dropped.
  public var body: HTTPBody {
    if let madeBody { return madeBody }
    let body = connection.makeBody(number, head.framing)
    madeBody = body
    return body
  }

  /// How many bytes the body of the request has: 0 if there is none, and nil if only its end shows it, because
  /// it is chunked.
  ///
  /// RFC 9112, 6.3, says how long a body is.
  public var bodyLength: Int? {
    switch head.framing {
    case .none: 0
    case .length(let count): count
    case .chunked: nil
    }
  }

  /// The loop that the exchange belongs to.
  public var loop: EventLoop { connection.loop }

  /// The head of the request: its method, its target and its fields.
  ///
  /// `path` is the target as it was sent, with its query and its percent signs. `authority` is that of the
  /// target, if it has one, or the field `Host`, which isn't among the fields. `scheme` is nil unless the
  /// target has one.
  public var request: HTTPRequest { received.request }

  /// The address of the client: the one that the load balancer reports (`ByteStream.proxyHeader`), or the
  /// other end's.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notConnected` if the client has gone, and
  ///   `notSupported` if the connection isn't TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress {
    if let source = connection.stream.proxyHeader?.source { return source }
    return try connection.stream.peerTCPAddress()
  }

  /// Answers the request.
  ///
  /// - Parameters:
  ///   - response: The status and the fields. The connection writes those that say where the answer ends and
  ///     whether the connection goes on (`Content-Length`, `Transfer-Encoding`, `Connection`) in place of
  ///     yours, and adds the date. With `Connection: close` the connection ends after the answer.
  ///   - body: The body. A client that has asked for the head alone doesn't get it.
  /// - Returns: A request that ends when the answer is on its way: when those before it have been given, and
  ///   no more than 64 KiB wait for the client. Bytes that are written at the end of the loop's turn aren't
  ///   counted. It fails with `alreadyInProgress` if there is an answer, with
  ///   `invalidArgument` for a status below 200, a body of an answer that has none (204, 304), and a success of
  ///   CONNECT, which is ``upgrade(_:)``'s; and with `brokenPipe` if the connection has ended. Cancelling it
  ///   before it has ended ends the connection.
  ///
  /// RFC 9112, 6, says what is written.
  public func respond(_ response: HTTPResponse, _ body: Bytes = Bytes()) -> Request<Void> {
    Request(WholeResponse(self, .response(response), body))
  }

  /// Answers the request; see ``respond(_:_:)-(HTTPResponse,Bytes)``.
  @discardableResult
  public func respond(
    _ response: HTTPResponse, _ body: Bytes = Bytes(), _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    respond(ResponseHead(response, bodyLength: body.count), body, done)
  }

  /// Answers the request with a head that was prepared, as it is for an answer that is given often.
  ///
  /// - Parameters:
  ///   - head: The status and the fields.
  ///   - body: The body.
  /// - Returns: A request that ends and fails as ``respond(_:_:)-(HTTPResponse,Bytes)`` does.
  public func respond(_ head: HTTPPreparedHead, _ body: Bytes = Bytes()) -> Request<Void> {
    Request(WholeResponse(self, .prepared(head), body))
  }

  /// Answers the request; see ``respond(_:_:)-(HTTPPreparedHead,Bytes)``.
  @discardableResult
  public func respond(
    _ head: HTTPPreparedHead, _ body: Bytes = Bytes(), _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    respond(ResponseHead(head, bodyLength: body.count), body, done)
  }

  func respond(_ head: ResponseHead, _ body: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal(of: head.status, hasBody: !body.isEmpty) { return connection.fail(code, done) }
    isAnswered = true
    return connection.answer(number, head, body, done)
  }

  /// Answers the request if it is its turn, and little waits for the client.
  ///
  /// - Returns: Whether it is answered, and the answer is on its way. An answer that isn't yet, because the client is slow
  ///   to take it, is waited for by ``waitForAnswer(_:)``.
  func respondAtOnce(_ head: ResponseHead, _ body: Bytes) -> Bool {
    guard connection.isTurn(number), !connection.isCongested else { return false }
    if refusal(of: head.status, hasBody: !body.isEmpty) != nil { return false }
    isAnswered = true
    connection.put(head, body)
    connection.endTurn()
    isToBeWaitedFor = connection.isCongested
    return !isToBeWaitedFor
  }

  /// Waits until the answer that was just given is on its way.
  ///
  /// - Returns: A way to cease to wait; nil if no such answer has been given.
  func waitForAnswer(_ done: @escaping Completion<Void>) -> PendingRequest? {
    if !isToBeWaitedFor { return nil }
    isToBeWaitedFor = false
    return connection.notify(done)
  }

  /// Has `body` called if the connection ends before the answer is complete.
  func whenLost(_ body: @escaping (UVError.Code) -> Void) { connection.whenLost(number, body) }

  /// The request isn't answered by ``upgrade(_:)``, so that the loss of the client is noticed meanwhile.
  func willNotBeUpgraded() { connection.willNotBeUpgraded(number) }

  func whenGone(_ done: @escaping Completion<Void>) -> PendingRequest { connection.whenGone(number, done) }

  /// Waits for the client in a request that doesn't keep the exchange: one that is dropped is answered.
  var goneRequest: Request<Void> {
    Request(of: loop) { [connection, number] in connection.whenGone(number, $0) }
  }

  /// Gives an interim answer, such as 103 (Early Hints), which the final one follows.
  ///
  /// ```swift
  /// var hints = HTTPResponse(status: .earlyHints)
  /// hints.headerFields[.link] = "</style.css>; rel=preload; as=style"
  /// exchange.inform(hints) { _ in }
  /// ```
  ///
  /// 100 (Continue) is the connection's own; see ``body``. A client of HTTP/1.0 understands no interim answers, and gets
  /// none. Some old clients of HTTP/1.1 don't, either.
  ///
  /// - Parameter response: The status, 102…199, and the fields.
  /// - Returns: A request that ends when the answer is on its way. It fails with `invalidArgument` for another status, with
  ///   `alreadyInProgress` if the final answer has been given, and with `brokenPipe` if the connection has ended.
  ///   Cancelling it before it has ended ends the connection.
  ///
  /// RFC 9110, 15.2, says what interim answers are.
  public func inform(_ response: HTTPResponse) -> Request<Void> {
    Request(of: loop) { [self] in inform(response, $0) }
  }

  /// Gives an interim answer; see ``inform(_:)``.
  ///
  /// RFC 9110, 15.2, says what interim answers are.
  @discardableResult
  public func inform(_ response: HTTPResponse, _ done: @escaping Completion<Void>) -> PendingRequest {
    if isAnswered { return connection.fail(.alreadyInProgress, done) }
    guard 102...199 ~= response.status.code else { return connection.fail(.invalidArgument, done) }
    return connection.inform(number, response, done)
  }

  /// Answers the request with a part of a file. Its bytes don't pass through this process, unless they have
  /// to be encrypted.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for the other `respond`.
  ///   - file: The file. Its position stays as it is.
  ///   - offset: Where to begin in the file, in bytes.
  ///   - count: How many bytes to send, 0 or more. If the file has fewer, the connection breaks off.
  /// - Returns: A request that ends and fails as the other `respond` does, with `invalidArgument` for a negative
  ///   count, and with `endOfFile` if the file is too short.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  public func respond(
    _ response: HTTPResponse, file: File, from offset: Int64 = 0, count: Int
  ) -> Request<Void> {
    Request(of: loop) { [self] in respond(response, file: file, from: offset, count: count, $0) }
  }

  /// Answers the request with a part of a file; see ``respond(_:file:from:count:)``.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  @discardableResult
  public func respond(
    _ response: HTTPResponse, file: File, from offset: Int64 = 0, count: Int,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let head = ResponseHead(response, .length(count))
    if let code = refusal(of: head.status, hasBody: true) { return connection.fail(code, done) }
    if count < 0 { return connection.fail(.invalidArgument, done) }
    isAnswered = true
    return connection.answer(number, head, file, from: offset, count: count, done)
  }

  /// Begins an answer whose body is written bit by bit.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for `respond`.
  ///   - length: How many bytes the body will have, 0 or more; nil if that isn't known. It is then chunked,
  ///     or ends with the connection if the client speaks HTTP/1.0.
  /// - Returns: The writer of the body, which has to be finished. If it is dropped before, the connection
  ///   breaks off.
  /// - Throws: `alreadyInProgress` if there is an answer, and `invalidArgument` for a status below 200, an
  ///   answer that has no body (204, 304), a success of CONNECT, and a negative length.
  ///
  /// RFC 9112, 7.1, says how a body without a length is sent.
  public func begin(_ response: HTTPResponse, length: Int? = nil) throws(UVError) -> HTTPResponseWriter {
    let framing: ResponseHead.Framing =
      length.map { .length($0) } ?? (head.minorVersion > 0 ? .chunked : .untilClose)
    let answer = ResponseHead(response, framing)
    let code = refusal(of: answer.status, hasBody: true) ?? ((length ?? 0) < 0 ? .invalidArgument : nil)
    if let code { throw UVError(code, operation: "respond") }
    isAnswered = true
    return HTTPResponseWriter(connection, number, answer, isHead: head.isHead)
  }

  /// Answers the request, and takes the connection over for another protocol.
  ///
  /// The timeouts of the connection end with it. Bytes that the client has sent already come first. The
  /// stream is closed as any other: by `close()`, or when its last reference goes.
  ///
  /// - Parameter response: 101 (Switching Protocols) with the field `Upgrade`, if the client has asked for
  ///   another protocol, or 2xx for CONNECT.
  /// - Returns: A request for the stream, which ends when the system has taken the answer. It fails with
  ///   `alreadyInProgress` if there is an answer, with `invalidArgument` if the request doesn't ask for this
  ///   or has a body that hasn't been read, with `brokenPipe` if the connection has ended, and
  ///   with the errors of a write.
  ///
  /// RFC 9110, 7.8 and 9.3.6, say what such an answer means.
  public func upgrade(_ response: HTTPResponse) -> Request<ByteStream> {
    Request(of: loop) { [self] in upgrade(response, $0) }
  }

  /// Answers the request, and takes the connection over; see ``upgrade(_:)``.
  @discardableResult
  public func upgrade(_ response: HTTPResponse, _ done: @escaping Completion<ByteStream>) -> PendingRequest {
    if isAnswered { return connection.fail(.alreadyInProgress, done) }
    let code = response.status.code
    let isAskedFor = head.isConnect ? 200..<300 ~= code : head.hasUpgrade && code == 101
    guard isAskedFor, connection.body.isComplete, connection.successors == .otherProtocol else {
      return connection.fail(.invalidArgument, done)
    }
    isAnswered = true
    return connection.upgrade(number, response, done)
  }

  /// Why an answer can't be given; nil if it can.
  ///
  /// - Parameter hasBody: Whether it comes with a body.
  private func refusal(of status: HTTPResponse.Status, hasBody: Bool) -> UVError.Code? {
    if isAnswered { return .alreadyInProgress }
    // The answer is the last word on the request, and not the beginning of a tunnel.
    if status.code < 200 || head.isConnect && status.kind == .successful { return .invalidArgument }
    return hasBody && status.hasNoBody ? .invalidArgument : nil
  }
}

extension HTTPResponse.Status {
  /// Whether an answer with the status never has a body (RFC 9112, 6.3).
  var hasNoBody: Bool { code < 200 || code == 204 || code == 304 }
}

extension RequestHead {
  /// The head as swift-http-types has it.
  func request(_ bytes: Bytes) -> HTTPRequest {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    var authority: String?
    let fields = HTTPFields(bytes, from: fields) { name, value in
      guard name == HTTPField.Name("host") else { return true }
      authority = text(value)
      return false
    }
    var (scheme, path): (String?, String?) = (nil, text(target))
    switch form {
    case .absolute(let schemeRange, let authorityRange):
      // Capitals mean the same (RFC 9110, 4.2.3).
      scheme = text(schemeRange).lowercased()
      // It counts more than the field (RFC 9112, 3.2.2).
      authority = text(authorityRange)
      let rest = text(authorityRange.upperBound..<target.upperBound)
      path = rest.hasPrefix("/") ? rest : "/" + rest
    case .authority: (authority, path) = (text(target), nil)
    case .origin, .asterisk: break
    }
    // A method is a token, as the parser has seen.
    return HTTPRequest(
      method: HTTPRequest.Method(text(method)) ?? .get, scheme: scheme, authority: authority, path: path,
      headerFields: fields)
  }
}
#endif
