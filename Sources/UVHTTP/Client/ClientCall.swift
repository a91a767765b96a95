#if HTTP || Everything
import HTTPTypes
import UV

/// A request with its attempts and its redirects, until there is an answer. The client uses the object again.
final class ClientCall: Cancelling {
  /// How often a request is sent again because an idle connection had ended.
  private static let mostRepeats = 3
  /// How many bytes of a redirect's body are read so that its connection can be used again.
  private static let mostOfRedirect = 65536

  /// Both are nil between two requests.
  @exclusivity(unchecked) private(set) var client: ClientCore!
  @exclusivity(unchecked) private(set) var outgoing: OutgoingRequest!
  /// When it began.
  @exclusivity(unchecked) private(set) var start = LoopClock.Instant(nanoseconds: 0)
  /// When all has to be over.
  @exclusivity(unchecked) private(set) var end = LoopClock.Instant(nanoseconds: 0)
  @exclusivity(unchecked) private var done: Done?
  private var repeats = 0
  private var redirects = 0
  /// The jar whose cookies are sent; nil if there is none, or the program sends its own.
  @exclusivity(unchecked) private var jar: HTTPCookieJar?
  private var waiting = PendingRequest()
  @exclusivity(unchecked) private var exchange: ClientExchange?

  /// The function that gets the answer, in the form in which it came.
  enum Done {
    case plain(Completion<HTTPClientResponse>)
    case generic(GenericCompletion<HTTPClientResponse>)

    consuming func callAsFunction(_ result: Result<HTTPClientResponse, UVError>) {
      switch self {
      case .plain(let done): done(result)
      case .generic(let done): done(result)
      }
    }
  }

  func begin(_ client: ClientCore, _ outgoing: OutgoingRequest, _ done: consuming Done) {
    var outgoing = outgoing
    if let jar = client.jar, outgoing.request.headerFields[.cookie] == nil {
      self.jar = jar
      outgoing = outgoing.with(jar)
    }
    self.client = client
    self.outgoing = outgoing
    self.done = consume done
    // The loop's own time may be old, and the total would end too early.
    start = .now
    end = start.after(client.total)
    if let fault = outgoing.fault {
      return endLater(UVError(.invalidArgument, operation: "http", message: fault))
    }
    attempt(client, outgoing)
  }

  func cancel(slot: UInt, generation: UInt) {
    if done == nil { return }
    if let exchange { exchange.cancel() } else { waiting.cancel() }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    done == nil ? nil : .operation("http", outgoing.request.authority)
  }

  private func attempt() { attempt(client, outgoing) }

  /// The caller passes on what it has at hand. To load it from the properties again would count references.
  private func attempt(_ client: ClientCore, _ outgoing: OutgoingRequest) {
    let pool: ClientPool
    do throws(UVError) { pool = try client.pool(for: outgoing) } catch { return endLater(error) }
    var free = pool.take()
    while let lease = free, !outgoing.mayGoOut(on: lease.resource) {
      lease.discard()
      free = pool.take()
    }
    guard let lease = free.take() else { return wait(for: pool, client, outgoing) }
    begin(ClientExchange.on(consume lease, self, consume pool), client, outgoing)
  }

  private func wait(for pool: ClientPool, _ client: ClientCore, _ outgoing: OutgoingRequest) {
    waiting = pool.lease(within: LoopClock.Instant.now.duration(to: end)) { [self] result in
      switch result {
      case .failure(let error):
        finish(.failure(error.code == .timedOut && client.loop.now >= end ? client.overdue : error))
      case .success(let lease) where !outgoing.mayGoOut(on: lease.resource):
        lease.discard()
        attempt(client, outgoing)
      case .success(let lease): begin(ClientExchange.on(lease, self, pool), client, outgoing)
      }
    }
  }

  private func begin(_ exchange: ClientExchange, _ client: ClientCore, _ outgoing: OutgoingRequest) {
    self.exchange = exchange
    exchange.begin(client, outgoing)
  }

  /// Lets the client keep the object, if the program has its answer. Nobody else uses it then. A redirect's exchange
  /// does: its body is still read, and its request may not have left.
  func rest() {
    guard done == nil, redirects == 0, let client = client.take() else { return }
    outgoing = nil
    jar = nil
    repeats = 0
    if !waiting.isEmpty { waiting = PendingRequest() }
    client.keep(self)
  }

  /// The head of the answer has come, or the exchange has failed.
  func didEnd(_ exchange: ClientExchange, _ result: Result<HTTPClientResponse, UVError>) {
    self.exchange = nil
    switch result {
    case .success(let answer):
      client.jar?.take(answer.headerFields, for: outgoing.request)
      if exchange.hasWaited, answer.status == .expectationFailed {
        // The server has no way to give leave (RFC 9110, 10.1.1).
        var request = outgoing.request
        request.headerFields[.expect] = nil
        outgoing = outgoing.changed(to: request, outgoing.body)
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
      let location = answer.location, var next = outgoing.request.following(location),
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
    if jar != nil { next.headerFields[.cookie] = nil }
    var following = outgoing.changed(to: next, body)
    if let jar { following = following.with(jar) }
    return following.fault == nil ? following : nil
  }

  private func finish(_ result: Result<HTTPClientResponse, UVError>) { done.take()?(result) }

  /// Reports a failure when the caller's stack has been left.
  private func endLater(_ error: UVError) {
    client.loop.queueMicrotask { [self] in finish(.failure(error)) }
  }
}

extension HTTPClientResponse {
  /// The reference that a redirect names. Characters that must be encoded are: many servers send blanks, and text that is
  /// UTF-8, as they are.
  fileprivate var location: String? {
    guard let field = headerFields[fields: .location].first else { return nil }
    return field.withUnsafeBytesOfValue { bytes in
      var text: [UInt8] = []
      for byte in bytes {
        if byte.isTarget || byte == UInt8(ascii: "#") {
          text.append(byte)
        } else {
          text += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
        }
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}
#endif
