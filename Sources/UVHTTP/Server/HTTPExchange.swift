import HTTPTypes
import UV

/// A request and its answer. Use it on its loop's thread. One that is dropped without an answer is answered
/// with 500, and ends its connection.
package final class HTTPExchange {
  private let connection: ServerConnection
  private let head: RequestHead
  private let bytes: Bytes
  private var isAnswered = false
  private let closer: HandleCloser

  /// The body of the request.
  package let body: HTTPBody

  init(_ connection: ServerConnection, _ head: RequestHead, _ bytes: Bytes, _ body: HTTPBody) {
    (self.connection, self.head, self.bytes, self.body) = (connection, head, bytes, body)
    closer = connection.stream.closer
  }

  deinit {
    if isAnswered { return }
    if connection.loop.executor.isOnLoop { connection.exchangeWasDropped() } else { closer.close() }
  }

  package var loop: EventLoop { connection.loop }

  /// The head of the request.
  package private(set) lazy var request = head.request(bytes)

  /// Answers the request.
  ///
  /// - Parameters:
  ///   - response: The status and the fields. The connection adds those that say where the answer ends, and
  ///     the date.
  ///   - body: The body. A client that has asked for the head alone doesn't get it.
  /// - Returns: A request that ends when the system has taken the answer. It fails with `alreadyInProgress`
  ///   if there is an answer, with `invalidArgument` for a body of an answer that has none, and with the
  ///   errors of a write.
  package func respond(_ response: HTTPResponse, _ body: Bytes = Bytes()) -> Request<Void> {
    Request(loop) { [self] in respond(response, body, $0) }
  }

  /// Answers the request; see ``respond(_:_:)``.
  @discardableResult
  package func respond(
    _ response: HTTPResponse, _ body: Bytes = Bytes(), _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if let code = refusal(of: response, hasBody: !body.isEmpty) { return connection.fail(code, done) }
    isAnswered = true
    return connection.answer(response, body, response.status.hasNoBody ? .none : .length(body.count), done)
  }

  /// Answers the request with a part of a file. Its bytes don't pass through this process, unless they have
  /// to be encrypted.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for the other `respond`.
  ///   - file: The file. Its position stays as it is.
  ///   - offset: Where to begin in the file, in bytes.
  ///   - count: How many bytes to send, 0 or more. If the file has fewer, the connection breaks off.
  /// - Returns: A request that ends and fails as the other does, and with `endOfFile` if the file is too
  ///   short.
  package func respond(_ response: HTTPResponse, file: File, from offset: Int64 = 0, count: Int) -> Request<
    Void
  > {
    Request(loop) { [self] in respond(response, file: file, from: offset, count: count, $0) }
  }

  /// Answers the request with a part of a file; see the function that returns a request.
  @discardableResult
  package func respond(
    _ response: HTTPResponse, file: File, from offset: Int64 = 0, count: Int,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if let code = refusal(of: response, hasBody: true) { return connection.fail(code, done) }
    if count < 0 { return connection.fail(.invalidArgument, done) }
    isAnswered = true
    return connection.answer(response, file, from: offset, count: count, done)
  }

  /// Begins an answer whose body is written bit by bit.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for `respond`.
  ///   - length: How many bytes the body will have, 0 or more; nil if that isn't known. It is then chunked,
  ///     or ends with the connection if the client speaks HTTP/1.0.
  /// - Returns: The writer of the body, which has to be finished. If it is dropped before, the connection
  ///   breaks off.
  /// - Throws: `alreadyInProgress` if there is an answer, and `invalidArgument` for an answer that has no
  ///   body or a negative length.
  package func begin(_ response: HTTPResponse, length: Int? = nil) throws(UVError) -> HTTPResponseWriter {
    let code = refusal(of: response, hasBody: true) ?? ((length ?? 0) < 0 ? .invalidArgument : nil)
    if let code { throw UVError(code, operation: "respond") }
    isAnswered = true
    let framing: ResponseHead.Framing =
      length.map { .length($0) } ?? (head.minorVersion > 0 ? .chunked : .untilClose)
    return HTTPResponseWriter(connection, connection.beginAnswer(response, framing), framing)
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
  ///   or has a body that hasn't been read, and with the errors of a write.
  package func upgrade(_ response: HTTPResponse) -> Request<ByteStream> {
    Request(loop) { [self] in upgrade(response, $0) }
  }

  /// Answers the request, and takes the connection over; see ``upgrade(_:)``.
  @discardableResult
  package func upgrade(_ response: HTTPResponse, _ done: @escaping Completion<ByteStream>) -> PendingRequest {
    if isAnswered { return connection.fail(.alreadyInProgress, done) }
    let code = response.status.code
    let isAskedFor = head.isConnect ? 200..<300 ~= code : head.hasUpgrade && code == 101
    guard isAskedFor, connection.isBodyComplete else { return connection.fail(.invalidArgument, done) }
    isAnswered = true
    return connection.upgrade(response, done)
  }

  /// Why an answer can't be given; nil if it can.
  ///
  /// - Parameter hasBody: Whether it comes with a body.
  private func refusal(of response: HTTPResponse, hasBody: Bool) -> UVError.Code? {
    if isAnswered { return .alreadyInProgress }
    let status = response.status
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
    var fields = HTTPFields()
    fields.reserveCapacity(8)
    var position = self.fields
    while case .field(let name, let value, let end)? = try? FieldLine.read(bytes.span, at: position) {
      position = end
      guard let name = HTTPField.Name(text(name)) else { continue }
      if name == HTTPField.Name("host") {
        authority = text(value)
      } else {
        fields.append(HTTPField(name: name, value: Bytes(bytes[value])))
      }
    }
    var (scheme, path): (String?, String?) = (nil, text(target))
    switch form {
    case .absolute(let schemeRange, let authorityRange):
      scheme = text(schemeRange)
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
