import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVHTTP
import UVPromises

extension Workloads {
  /// One operation: `GET /hello` by HTTP/1.1 and its answer, with a body of `size` bytes. Under way: `pipelined` on each of `connections`,
  /// sent together. The row: in C: finds the end of each request and looks at its first line; answers the requests that came together by
  /// one write of bytes that were made before. In Swift: answers each request that the server of `UVHTTP` hands out.
  ///
  /// The rows in Swift answer without a look at the request, whose head `UVHTTP` has checked. Their answers have a date in place of the
  /// name of a server. The load generator compares the body of each answer.
  static let httpHello = ServerWorkload(
    name: "http-hello", summary: "a page by HTTP/1.1 with keep-alive, by UVHTTP (c: by hand)",
    revision: 2,
    parameters: [
      connections(50, "connections, each with so many requests under way"),
      Parameter("pipelined", 1, 16, in: 1...16, help: "requests under way on a connection, sent together"),
      messageSize(13, 65_536, help: "bytes of the page"),
    ],
    load: .http,
    rows: HTTPHello.rows(beside: "http-hello"),
    targets: [
      Target(
        "http-hello", ["pipelined": 1, "size": 13],
        bounds: [.callback: 1.35, .async: 1.50, .promise: 1.45, .future: 1.45])
    ])

  /// One operation: the same, on one connection after the other. Under way: one, on each of `connections` in turn. The row: the same as
  /// `http-hello`.
  static let httpIdle = ServerWorkload(
    name: "http-idle", summary: "a page on each connection in turn: the others are kept alive, and idle",
    note: "--counters shows the bytes of a connection",
    parameters: [
      Parameter(
        "connections", 10_000, quick: 500, in: 1...10_000, takesDescriptors: true,
        help: "connections, one request under way in all"),
      messageSize(13, help: "bytes of the page"),
    ],
    load: .httpTurns,
    rows: httpHello.rows,
    targets: [
      Target(
        "http-idle", ["connections": 10_000, "size": 13], .bytes,
        bounds: [.callback: 4096, .async: 4096, .promise: 4096, .future: 4096])
    ])

  /// Serves `http-hello` in C, until the process ends.
  public static func serveHello(size: Int, listening: @escaping @Sendable (_ port: UInt16) -> Void) throws {
    let task = ServerTask(
      host: "127.0.0.1", connections: Int(UInt32.max), size: size, seed: 0, listening: listening)
    _ = try CRow.server("http-hello")(task)
  }
}

/// `http-hello` by `UVHTTP`.
enum HTTPHello: ServerRows {
  static let callback = HTTPService.callbacks { service, _, _ in
    service.server.start { result in
      guard let exchange = service.exchange(result) else { return }
      exchange.respond(service.response, service.body) { service.check($0) }
    }
  }

  static let promise = HTTPService.callbacks { service, _, _ in
    service.server.each { exchange in
      service.count()
      return exchange.respond(service.response, service.body).promise()
    }.done { service.end() }.catch { service.fail($0) }
  }

  static let future = HTTPService.callbacks { service, _, _ in
    service.subscription = service.server.publisher().flatMap { exchange in
      service.count()
      return exchange.respond(service.response, service.body).publisher()
    }.sink(receiveCompletion: service.end, receiveValue: {})
  }

  static let async = HTTPService.task { service, _, _ in
    for try await exchange in service.server {
      service.count()
      try await exchange.respond(service.response, service.body).value
    }
    service.end()
  }
}

/// What all Swift rows of `http-hello` share: the server, its answer, and how many requests were served.
private final class HTTPService: RowRun {
  let server: HTTPServer
  let response = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
  let body: Bytes
  /// Held by the future row.
  var subscription: AnyCancellable?

  private let task: ServerTask
  private let loop: EventLoop
  private var requests = 0
  private var jobs: JobCount
  private var failure: (any Error)?
  private var hasEnded = false

  /// Listens, and names the address to the load generator.
  init(_ task: ServerTask, on loop: EventLoop) throws(UVError) {
    (self.task, self.loop) = (task, loop)
    body = Bytes((0..<task.size).map { UInt8(bitPattern: bench_http_body($0)) })
    let listener = try TCPListener.listen(task, on: loop)
    server = loop.http.serve(Admission(listener, count: task.connections))
    jobs = JobCount(loop)
    task.listening(try listener.port())
  }

  /// Counts a request.
  func count() { requests += 1 }

  /// The request that the server's callback brought; nil where there is none.
  func exchange(_ result: Result<HTTPExchange?, UVError>) -> HTTPExchange? {
    switch result {
    case .success(let exchange?):
      count()
      return exchange
    case .success(nil): end()
    case .failure(let error): fail(error)
    }
    return nil
  }

  /// Notes a failure to answer.
  func check(_ result: Result<Void, UVError>) { if case .failure(let error) = result { fail(error) } }

  /// Notes how the server ended.
  func end(_ completion: Subscribers.Completion<UVError>) {
    if case .failure(let error) = completion { fail(error) } else { end() }
  }

  /// Notes that the last connection has ended.
  func end() {
    hasEnded = true
    jobs = JobCount(loop).since(jobs)
    task.closed()
  }

  /// Notes the first failure.
  func fail(_ error: any Error) { if failure == nil { failure = error } }

  /// What was served, once the loop has ended. The server counts no bytes, so it is said how many such
  /// requests and answers have; the load generator looks at each byte of the answers.
  func report() throws -> ServerReport {
    if let failure { throw WrongWork("\(failure)") }
    guard hasEnded else { throw WrongWork("the server has not ended with its last connection") }
    return ServerReport(
      bytesRead: requests * Int(BENCH_HTTP_REQUEST),
      bytesWritten: requests * bench_http_answer_size(task.size), jobs: jobs)
  }
}

/// A listener that closes when it has accepted so many connections, so that its server ends with them.
private final class Admission: ConnectionSource {
  private let listener: TCPListener
  private var missing: Int

  init(_ listener: TCPListener, count: Int) { (self.listener, missing) = (listener, count) }

  var loop: EventLoop { listener.loop }

  private func admitting(_ done: @escaping Completion<TCPConnection?>) -> Completion<TCPConnection?> {
    { [self] result in
      if case .success(let connection?) = result {
        missing -= 1
        do throws(UVError) { try connection.setNoDelay(true) } catch { return done(.failure(error)) }
        // The server hears of the end after this connection.
        if missing == 0 { listener.close() }
      }
      done(result)
    }
  }

  func next(_ done: @escaping Completion<TCPConnection?>) -> PendingRequest { listener.next(admitting(done)) }
  func start(_ handler: @escaping Completion<TCPConnection?>) { listener.start(admitting(handler)) }
  func stop() { listener.stop() }
  func close() -> Request<Void> { listener.close() }
  func localAddress() throws(UVError) -> SocketAddress { try listener.localAddress() }
  func makeAsyncIterator() -> TCPListener.AsyncIterator { listener.makeAsyncIterator() }
}
