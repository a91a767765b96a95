#if HTTP || Everything
import HTTPTypes
import UV

extension HTTPExchange {
  /// Sends the request on to another server, and passes its answer on to the client while it comes.
  ///
  /// ```swift
  /// try await exchange.forward(
  ///   changing: { ($0.scheme, $0.authority) = ("http", "localhost:8081") }, by: client
  /// ).value
  /// ```
  ///
  /// The fields are those of ``HTTPTypes/HTTPFields/forwarded(as:)``, in both directions, and those that you set. Bodies
  /// and trailers are passed on bit by bit, and interim answers as they come, as fast as the one who gets them takes them. A switch to another protocol
  /// isn't passed on, and neither is CONNECT: answer it by ``upgrade(_:)``, and use `ByteStream.join(_:lastSilence:)`.
  /// OPTIONS and TRACE whose field `Max-Forwards` has come to 0 are answered here, with 200 and 501 (Not Implemented).
  ///
  /// The exchange is answered in any case: with 504 (Gateway Timeout) if the other server takes too long, and with 502
  /// (Bad Gateway) if it can't be asked. If it breaks off within its answer, so does the connection to the client, and
  /// if that is lost, the other server is given up.
  ///
  /// - Parameters:
  ///   - change: Changes the client's request: its scheme and its authority for a server that you choose, its path, or
  ///     its fields. A proxy whose clients name their server changes nothing. It is called once, when the fields of
  ///     the client's connection are gone. So the client's field `Connection` can't take away what you set.
  ///   - client: A client of the exchange's loop. Its options limit the time and the connections.
  ///   - name: The proxy's name for the field `Via`.
  /// - Returns: A request that ends when the whole answer is on its way. It fails with `alreadyInProgress` if there is
  ///   an answer, with the errors of ``HTTPClient/send(_:body:onInterim:)``, of both bodies, and of
  ///   ``respond(_:_:)-(HTTPResponse,Bytes)``. Cancelling it gives up both.
  ///
  /// RFC 9110, 7.6, says what a proxy does.
  public func forward(
    changing change: @escaping (inout HTTPRequest) -> Void = { _ in }, by client: HTTPClient,
    as name: String = "swift-uv"
  ) -> Request<Void> {
    Request(of: loop) { [self] in forward(changing: change, by: client, as: name, $0) }
  }

  /// Sends the request on to another server; see ``forward(changing:by:as:)``.
  ///
  /// RFC 9110, 7.6, says what a proxy does.
  @discardableResult
  public func forward(
    changing change: (inout HTTPRequest) -> Void = { _ in }, by client: HTTPClient,
    as name: String = "swift-uv", _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    loop.requireOnLoop("HTTPExchange.forward")
    if isAnswered { return loop.answer(done, UVError(.alreadyInProgress, operation: "respond")) }
    var request = request
    if let answer = request.countForward() { return respond(answer, Bytes(), done) }
    request.headerFields = request.headerFields.forwarded(as: name)
    change(&request)
    let forwarding = Forwarding(self, name, done)
    forwarding.begin(request, by: client)
    return PendingRequest("forward") { forwarding.cancel() }
  }
}

/// A request that is sent on, and its answer that is passed on.
private final class Forwarding {
  private let loop: EventLoop
  /// Let go of at the end, so that the connection answers if nothing here has.
  private var exchange: HTTPExchange?
  private let name: String
  private var done: Completion<Void>?
  private var pending = PendingRequest()
  /// Why the client's body has failed.
  private var bodyError: UVError?

  init(_ exchange: HTTPExchange, _ name: String, _ done: @escaping Completion<Void>) {
    (loop, self.exchange, self.name, self.done) = (exchange.loop, exchange, name, done)
  }

  func begin(_ request: HTTPRequest, by client: HTTPClient) {
    guard let exchange else { return }
    exchange.willNotBeUpgraded()
    exchange.whenLost { [self] code in
      pending.cancel()
      end(.failure(UVError(code, operation: "respond")))
    }
    let isAnswered: Completion<HTTPClientResponse> = { [self] result in
      switch result {
      case .success(let answer): pass(answer)
      case .failure(let error): refuse(error)
      }
    }
    let onInterim: (HTTPResponse) -> Void = { [self] in passInterim($0) }
    if exchange.bodyLength == 0 {
      pending = client.send(request, onInterim: onInterim, isAnswered)
      return
    }
    let body = exchange.body
    let parts = OutgoingRequest.Parts(
      next: { [self] done in
        body.next { result in
          if case .failure(let error) = result { self.bodyError = error }
          done(result)
        }
      }, length: exchange.bodyLength, trailers: exchange.bodyLength == nil ? { body.trailers } : nil)
    pending = client.core.send(
      OutgoingRequest(request: request, body: .parts(parts), onInterim: onInterim), isAnswered)
  }

  /// Passes an interim answer on (RFC 9110, 15.2). Leave to send a body (100) is given by the connection itself, when the
  /// other server wants the body.
  private func passInterim(_ answer: HTTPResponse) {
    guard let exchange, answer.status != .continue else { return }
    var response = answer
    response.headerFields = response.headerFields.forwarded(as: name)
    exchange.inform(response) { _ in }
  }

  func cancel() {
    pending.cancel()
    end(.failure(UVError(.cancelled, operation: "forward")))
  }

  /// Passes the answer on.
  private func pass(_ answer: HTTPClientResponse) {
    guard let exchange else { return }
    var response = answer.head
    let length = response.headerFields[.contentLength].flatMap { Int($0) }
    response.headerFields = response.headerFields.forwarded(as: name)
    if response.status.hasNoBody {
      pending = exchange.respond(response) { [self] in end($0) }
      return
    }
    do throws(UVError) {
      copy(answer.body, to: try exchange.begin(response, length: length))
    } catch { end(.failure(error)) }
  }

  /// Writes the body, a part when the one before is on its way. A writer that is dropped breaks off.
  private func copy(_ body: HTTPBody, to writer: HTTPResponseWriter) {
    if done == nil { return }
    pending = body.next { [self] result in
      if done == nil { return }
      switch result {
      case .success(let part?):
        pending = writer.write(part) { [self] result in
          if case .failure = result { end(result) } else { copy(body, to: writer) }
        }
      case .success(nil): pending = writer.finish(body.trailers) { [self] in end($0) }
      case .failure(let error): end(.failure(error))
      }
    }
  }

  /// The other server can't be asked, or hasn't answered.
  private func refuse(_ error: UVError) {
    // The client's own fault has a status of its own, which the connection gives once the exchange is dropped.
    guard let exchange, bodyError == nil else { return end(.failure(bodyError ?? error)) }
    let status: HTTPResponse.Status = error.code == .timedOut ? .gatewayTimeout : .badGateway
    let fields: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
    let response = HTTPResponse(status: status, headerFields: fields)
    let text = Bytes("\(status.code) the other server can't be asked\n")
    pending = exchange.respond(response, text) { [self] _ in end(.failure(error)) }
  }

  private func end(_ result: Result<Void, UVError>) {
    guard let done = done.take() else { return }
    (exchange, pending) = (nil, PendingRequest())
    loop.queueMicrotask { done(result) }
  }
}
#endif
