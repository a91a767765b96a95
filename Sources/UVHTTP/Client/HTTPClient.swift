#if HTTP || Everything
import HTTPTypes
import UV

/// A client of HTTP/1.1 servers, which keeps connections for the next requests.
///
/// ```swift
/// let client = HTTPClient(loop, security: loop.tls)  // import UVTLS
/// let answer = try await client.get("https://example.com/").value
/// print(answer.status, try await answer.body.readToEnd(limit: 1 << 20).value)
/// ```
///
/// There is a pool of connections for each origin, that is each scheme, host and port. A request whose
/// connection had been idle, and ended before anything of an answer came, is sent again if that does no harm:
/// if its method is idempotent and its body is known as a whole. Another request doesn't go out on a connection that its
/// server has ended by then; if that ends it meanwhile, the request fails, and the program decides.
///
/// Idle connections don't keep the loop running. Use a client on its loop's thread. You may drop it on any
/// thread, which closes what is idle.
///
/// RFC 9110 and RFC 9112 say how the client behaves.
public final class HTTPClient {
  let core: ClientCore
  /// The request for the last URL. Most programs that ask much ask for the same again.
  @exclusivity(unchecked) private var lastGet: ClientGet?

  /// Makes a client. It has no connections until there is a request.
  ///
  /// - Parameters:
  ///   - loop: The loop that the client works on.
  ///   - options: Limits, deadlines, redirects and a proxy.
  ///   - security: What secures connections for `https`: `loop.tls` of `UVTLS`, which verifies servers by the
  ///     system's roots, or `loop.tls.client(context)`. Without it, such requests fail with `notSupported`.
  ///   - cookies: Where the cookies are that servers set, which are sent back then; nil for a client without cookies.
  public init(
    _ loop: EventLoop, options: HTTPClientOptions = HTTPClientOptions(),
    security: (any StreamSecurity)? = nil, cookies: HTTPCookieJar? = nil
  ) {
    core = ClientCore(Connector(loop: loop, options: options, security: security), cookies)
  }

  /// The loop that the client works on.
  public var loop: EventLoop { core.loop }

  /// Sends a GET request.
  ///
  /// - Parameter url: A URL of `http` or `https`. Characters that aren't allowed in one must be encoded. A user in it,
  ///   as in `https://USER:PASSWORD@example.com/`, becomes the field `Authorization`; no error names it.
  /// - Returns: A request for the answer, whatever its status. It fails as
  ///   ``send(_:body:onInterim:)`` does.
  public func get(_ url: String) -> Request<HTTPClientResponse> {
    if let get = asking(url) { Request(get) } else { Request(of: loop) { [self] in get(url, $0) } }
  }

  /// Sends a GET request; see ``get(_:)``.
  ///
  /// `done` is called once on the loop's thread, never before this function returns.
  ///
  /// - Returns: A way to cancel.
  @discardableResult
  public func get(_ url: String, _ done: @escaping Completion<HTTPClientResponse>) -> PendingRequest {
    if let get = asking(url) { return core.send(get.outgoing, done) }
    return loop.answer(done, UVError(.invalidArgument, operation: "http", subject: Self.withoutUser(url)))
  }

  /// A text that is no URL, for an error: without what may be a password.
  private static func withoutUser(_ text: String) -> String {
    text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
  }

  /// The request for a URL; nil if it isn't one.
  private func asking(_ url: String) -> ClientGet? {
    core.loop.requireOnLoop("HTTPClient.get")
    if let lastGet, lastGet.url == url { return lastGet }
    guard let request = HTTPRequest(url: url) else { return nil }
    let outgoing = OutgoingRequest(request: request, body: .whole(Bytes()))
    core.remember(outgoing)
    let get = ClientGet(core, outgoing, of: url)
    lastGet = get
    return get
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The method, the scheme, the authority, the path and the fields. `Host`, `Connection` and the
  ///     fields that say how long the body is are the client's own.
  ///     With `Expect: 100-continue` the body waits for leave, up to ``HTTPClientOptions/continueTimeout``, and
  ///     isn't sent if the server answers before.
  ///   - body: The body.
  ///   - onInterim: Called on the loop's thread with each interim answer (1xx) that comes before the final one, such as 103
  ///     (Early Hints); not with 101.
  /// - Returns: A request for the answer, whatever its status, which ends when its head has come. It fails
  ///   with `invalidArgument` if the request can't be sent, with the errors of `Pool.lease()` and of
  ///   connecting, `timedOut`, `endOfFile` if the server ends the connection before an answer, `protocolError`
  ///   if the answer isn't one of HTTP/1.1, and the errors of a read. Cancelling it closes its connection at
  ///   once.
  public func send(
    _ request: HTTPRequest, body: Bytes = Bytes(), onInterim: ((HTTPResponse) -> Void)? = nil
  ) -> Request<HTTPClientResponse> {
    Request(of: loop) { [self] in send(request, body: body, onInterim: onInterim, $0) }
  }

  /// Sends a request; see ``send(_:body:onInterim:)``.
  @discardableResult
  public func send(
    _ request: HTTPRequest, body: Bytes = Bytes(), onInterim: ((HTTPResponse) -> Void)? = nil,
    _ done: @escaping Completion<HTTPClientResponse>
  ) -> PendingRequest {
    core.send(OutgoingRequest(request: request, body: .whole(body), onInterim: onInterim), done)
  }

  /// Sends a request whose body comes bit by bit, as fast as the server takes it.
  ///
  /// - Parameters:
  ///   - request: The method, the scheme, the authority, the path and the fields.
  ///   - body: The body, such as that of a server's request, a connection, or a source of your own. It is read
  ///     until its end, or until the answer is complete.
  ///   - length: How many bytes there will be, 0 or more; nil if that isn't known. The body is then chunked.
  ///   - trailers: Called at the end of a chunked body for the fields that follow it, such as a checksum.
  ///   - onInterim: Called with each interim answer, as for the other `send`.
  /// - Returns: A request as that of the other `send`. A server may answer before it has all of the body: once the answer is
  ///   complete, no more of the body is sent, and the connection ends. Whether the server has taken it, its status says. It also fails with the errors of `body`, and with
  ///   `invalidArgument` if the body has another length than was said, or a length and trailers. It is never
  ///   sent twice.
  public func send(
    _ request: HTTPRequest, body: some EventSource<Bytes>, length: Int? = nil,
    trailers: (() -> HTTPFields)? = nil, onInterim: ((HTTPResponse) -> Void)? = nil
  ) -> Request<HTTPClientResponse> {
    Request(of: loop) { [self] in
      send(request, body: body, length: length, trailers: trailers, onInterim: onInterim, $0)
    }
  }

  /// Sends a request whose body comes bit by bit; see the function that returns a request.
  @discardableResult
  public func send(
    _ request: HTTPRequest, body: some EventSource<Bytes>, length: Int? = nil,
    trailers: (() -> HTTPFields)? = nil, onInterim: ((HTTPResponse) -> Void)? = nil,
    _ done: @escaping Completion<HTTPClientResponse>
  ) -> PendingRequest {
    let parts = OutgoingRequest.Parts(next: { body.next($0) }, length: length, trailers: trailers)
    return core.send(OutgoingRequest(request: request, body: .parts(parts), onInterim: onInterim), done)
  }

  /// Asks for another protocol on the connection, such as `websocket`.
  ///
  /// The timeouts of the connection end with the switch. It no longer belongs to the client, whose limits and
  /// ``close()`` don't concern it.
  ///
  /// - Parameters:
  ///   - request: The method, the scheme, the authority, the path and the fields. `Upgrade` names the protocol,
  ///     or several.
  ///   - body: The body.
  /// - Returns: A request for the answer, as that of ``send(_:body:onInterim:)``. If its status is
  ///   101 (Switching Protocols), ``HTTPClientResponse/stream`` is the connection. Any other answer refuses,
  ///   or asks for something first. It also fails with `invalidArgument` if `Upgrade` is missing, and with
  ///   `protocolError` if the server switches to something else than what it names.
  ///
  /// RFC 9110, 7.8, says how to switch.
  public func upgrade(_ request: HTTPRequest, body: Bytes = Bytes()) -> Request<HTTPClientResponse> {
    Request(of: loop) { [self] in upgrade(request, body: body, $0) }
  }

  /// Asks for another protocol on the connection; see ``upgrade(_:body:)``.
  @discardableResult
  public func upgrade(
    _ request: HTTPRequest, body: Bytes = Bytes(), _ done: @escaping Completion<HTTPClientResponse>
  ) -> PendingRequest {
    core.send(OutgoingRequest(request: request, body: .whole(body), isUpgrade: true), done)
  }

  /// Closes the client. Requests that have no connection yet fail with `cancelled`, idle connections close,
  /// and each of the others closes when its answer has been read.
  ///
  /// Closing starts at once, even if you ignore the request.
  ///
  /// - Returns: A request that succeeds when the last connection is closed. It fails with `cancelled` if the
  ///   loop ends before.
  @discardableResult
  public func close() -> Request<Void> { core.close() }

  /// The sums of the counts of the pools of all origins.
  ///
  /// Complexity: O(*n*) in the number of origins.
  public var counts: PoolCounts { core.counts }
}

extension HTTP {
  /// Sends a GET request by a client of the loop, with the usual options and without TLS. Make an
  /// ``HTTPClient`` for everything else.
  ///
  /// - Parameter url: A URL of `http`.
  /// - Returns: A request as that of ``HTTPClient/get(_:)``.
  public func get(_ url: String) -> Request<HTTPClientResponse> { ClientCore.ofLoop[loop].get(url) }

  /// Sends a request by a client of the loop; see ``get(_:)``.
  ///
  /// - Returns: A request as that of ``HTTPClient/send(_:body:onInterim:)``.
  public func send(_ request: HTTPRequest, body: Bytes = Bytes()) -> Request<HTTPClientResponse> {
    ClientCore.ofLoop[loop].send(request, body: body)
  }
}
#endif
