import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVHTTP
import UVPromises

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
