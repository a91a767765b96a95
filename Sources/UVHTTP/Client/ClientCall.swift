import HTTPTypes
import UV

/// A request with its attempts and its redirects, until there is an answer.
final class ClientCall {
  /// How often a request is sent again because an idle connection had ended.
  private static let mostRepeats = 3
  /// How many bytes of a redirect's body are read so that its connection can be used again.
  private static let mostOfRedirect = 65536

  private let client: ClientCore
  @exclusivity(unchecked) private var outgoing: OutgoingRequest
  private let end: LoopClock.Instant
  @exclusivity(unchecked) private var done: Completion<HTTPClientResponse>?
  private var repeats = 0
  private var redirects = 0
  private var waiting = PendingRequest()
  @exclusivity(unchecked) private var exchange: ClientExchange?

  init(_ client: ClientCore, _ outgoing: OutgoingRequest, _ done: @escaping Completion<HTTPClientResponse>) {
    (self.client, self.outgoing, self.done) = (client, outgoing, done)
    end = client.loop.now.advanced(by: client.options.total)
  }

  func begin() {
    if let fault = outgoing.fault {
      client.loop.answer(done.take()!, UVError(.invalidArgument, operation: "http", message: fault))
      return
    }
    attempt()
  }

  func cancel() {
    if done == nil { return }
    if let exchange { exchange.cancel() } else { waiting.cancel() }
  }

  private func attempt() {
    let loop = client.loop
    let pool: ClientPool
    do throws(UVError) { pool = try client.pool(for: outgoing.request) } catch {
      // Not on the caller's stack.
      return loop.queueMicrotask { [self] in finish(.failure(error)) }
    }
    if let lease = pool.take() { return begin(lease, pool) }
    waiting = pool.lease(within: loop.now.duration(to: end)) { [self] result in
      switch result {
      case .failure(let error): finish(.failure(error))
      case .success(let lease): begin(lease, pool)
      }
    }
  }

  private func begin(_ lease: PoolLease<ClientConnection>, _ pool: ClientPool) {
    let exchange = ClientExchange(outgoing, lease, pool, client)
    self.exchange = exchange
    exchange.begin(for: self, until: end)
  }

  /// The head of the answer has come, or the exchange has failed.
  func didEnd(_ exchange: ClientExchange, _ result: Result<HTTPClientResponse, UVError>) {
    self.exchange = nil
    switch result {
    case .success(let answer):
      if exchange.hasWaited, answer.status == .expectationFailed {
        // The server has no way to give leave (RFC 9110, 10.1.1).
        outgoing.request.headerFields[.expect] = nil
        return attempt()
      }
      guard let next = redirect(answer) else { return finish(result) }
      answer.body.readToEnd(limit: Self.mostOfRedirect) { _ in }
      redirects += 1
      repeats = 0
      outgoing = next
      attempt()
    case .failure(let error):
      if mayRepeat(exchange, error) {
        repeats += 1
        return attempt()
      }
      finish(result)
    }
  }

  /// Whether the request may be sent again (RFC 9110, 9.2.2): sending it twice does the same as once, nothing
  /// of an answer has come, and the server may have closed the connection while it was idle.
  private func mayRepeat(_ exchange: ClientExchange, _ error: UVError) -> Bool {
    guard exchange.isReused, !exchange.hasBegunAnswer, outgoing.isIdempotent, outgoing.isRepeatable,
      repeats < Self.mostRepeats
    else { return false }
    return [.endOfFile, .connectionReset, .connectionAborted, .brokenPipe, .notConnected].contains(error.code)
  }

  /// The request that an answer asks for; nil if it isn't a redirect, or isn't to be followed.
  private func redirect(_ answer: HTTPClientResponse) -> OutgoingRequest? {
    if redirects >= client.options.redirects { return nil }
    let code = answer.status.code
    guard [301, 302, 303, 307, 308].contains(code),
      let location = answer.headerFields[.location], var next = outgoing.request.following(location),
      let here = outgoing.request.origin, let there = next.origin,
      there.isSecure || !here.isSecure
    else { return nil }
    var body = outgoing.body
    let method = outgoing.request.method
    if code == 303 && method != .head || code < 303 && method == .post {
      next.method = .get
      body = .whole(Bytes())
      for name in [HTTPField.Name.contentType, .contentEncoding, .contentLanguage, .contentLocation] {
        next.headerFields[name] = nil
      }
    } else if !outgoing.isRepeatable {
      return nil
    }
    if here != there {
      for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
        next.headerFields[name] = nil
      }
    }
    var following = outgoing
    (following.request, following.body) = (next, body)
    return following.fault == nil ? following : nil
  }

  private func finish(_ result: Result<HTTPClientResponse, UVError>) { done.take()?(result) }
}
