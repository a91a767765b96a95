#if HTTP || Everything
public import UV
public import UVHTTP

/// The files of a directory, as answers to requests. Use it on its loop's thread.
///
/// ```swift
/// let files = HTTPFiles(at: "public", on: loop)
/// for try await exchange in try loop.http.listen(port: 8080) {
///   files.respond(to: exchange) { _ in }
/// }
/// ```
///
/// A server on several loops has one for each, by a `LoopLocal`:
///
/// ```swift
/// let sites = LoopLocal { loop in HTTPFiles(at: "public", on: loop) }
/// ```
///
/// Each loop remembers for a second the files that were asked for lately: what they are, and the bytes of small ones. So a
/// change may be seen a second late. Names that begin with a dot aren't served, but `.well-known` is, and a link is followed
/// only to what is below the root.
///
/// RFC 9110 says what the answers are.
public final class HTTPFiles {
  /// The loop that the files are read and sent on.
  public let loop: EventLoop
  private let site: Site

  /// Serves a directory's files. Nothing is looked at before the first request.
  ///
  /// - Parameters:
  ///   - root: The directory. If it is a link to one, another link may take its place while it is served, as for a new
  ///     version of a site. If it doesn't exist, requests are answered with 500 (Internal Server Error).
  ///   - loop: The loop of the requests, whose thread this is.
  ///   - options: How to serve them.
  public init(at root: FilePath, on loop: EventLoop, options: HTTPFilesOptions = HTTPFilesOptions()) {
    loop.requireOnLoop("HTTPFiles")
    self.loop = loop
    site = Site(loop, root: root, options)
  }

  /// Answers a request with the file that it asks for.
  ///
  /// A request is answered in any case: with 404 (Not Found) if there is no such file, 403 if it can't be read, 405 if the
  /// method is none of GET, HEAD and OPTIONS, 400 if a percent sign stands before no number, and 503 if the process has too
  /// many files open. After a request with a body the connection ends.
  ///
  /// - Parameters:
  ///   - exchange: A request of this loop.
  ///   - path: The path of the file below the root, as a URL has it; nil, which is the default, for the request's own. To
  ///     serve the files under a prefix, give it the rest.
  /// - Returns: A request that ends when the answer is on its way. It fails as `HTTPExchange.respond(_:file:from:count:)` of `UVHTTP`
  ///   does: with `brokenPipe` if the client has gone, and with `endOfFile` if the file has become shorter while it was sent,
  ///   after which the connection breaks off. If it is cancelled before the answer has begun, the exchange has none yet; if
  ///   later, the connection ends.
  ///
  /// The corresponding libuv functions are `uv_fs_realpath`, `uv_fs_stat`, `uv_fs_open`, `uv_fs_read` and `uv_fs_sendfile`.
  public func respond(to exchange: HTTPExchange, path: String? = nil) -> Request<Void> {
    Request(KnownAnswer(self, exchange, path))
  }

  /// Answers a request with the file that it asks for; see ``respond(to:path:)``.
  @discardableResult
  public func respond(
    to exchange: HTTPExchange, path: String? = nil, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    loop.requireOnLoop("HTTPFiles.respond")
    let answer = answer(to: exchange, path)
    if let known = answer.known() { return exchange.respond(known.head, known.bytes, done) }
    let task = loop.spawn { () async -> Void in
      do throws(UVError) {
        try await answer.give()
        done(.success(()))
      } catch { done(.failure(error)) }
    }
    return PendingRequest("respond") { task.cancel() }
  }

  fileprivate func answer(to exchange: HTTPExchange, _ path: String?) -> FileAnswer {
    precondition(exchange.loop === loop, "the exchange is of another loop than the files")
    return FileAnswer(site: site, exchange: exchange, path: path)
  }
}

/// An answer that a program asks for as a request. A task goes on without a wait if the file is in memory.
private final class KnownAnswer: DirectWork {
  private let files: HTTPFiles
  private let exchange: HTTPExchange
  private let path: String?
  /// The answer that has been given, and that the client is slow to take.
  private var given: WholeResponse?

  init(_ files: HTTPFiles, _ exchange: HTTPExchange, _ path: String?) {
    (self.files, self.exchange, self.path) = (files, exchange, path)
  }

  var loop: EventLoop { files.loop }

  func doAtOnce() -> Result<Void, UVError>? {
    guard let known = files.answer(to: exchange, path).known() else { return nil }
    let response = WholeResponse(exchange, .prepared(known.head), known.bytes)
    if let result = response.doAtOnce() { return result }
    given = response
    return nil
  }

  func start(_ done: @escaping Completion<Void>) -> PendingRequest {
    if let given = given.take() { return given.start(done) }
    return files.respond(to: exchange, path: path, done)
  }
}
#endif
