import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVHTTP
import UVPromises

extension Workloads {
  /// One operation: `GET /hello` of a server in C by HTTP/1.1, and its answer with a body of `size` bytes. Under way: `in-flight`, a
  /// connection each that stays open. Checked: status, size and last byte of each answer.
  ///
  /// The server is the row of `http-hello` in C, in a process (`uvbench serve-hello`) and on a processor of its own. Each connection has
  /// had an answer when the window opens. The rows in Swift use `HTTPClient` of `UVHTTP`, with its pool, its deadlines and all fields of an
  /// answer; the row in C looks for the status and the length, and counts the body. A row's cost is the client's processor time. How many
  /// system calls a request takes is up to the server: an answer of 64 KiB comes in one part or in several.
  static let httpClient = LoopWorkload(
    name: "http-client", summary: "GET of a page from a server in C, over connections that stay open",
    note: "CPU/op is that of the client alone",
    parameters: [
      inFlight(50, takesDescriptors: true),
      Parameter("size", 13, 65_536, in: 1...(1 << 20), help: "bytes of the page"),
    ],
    // How many answers a turn of the loop finds is up to the server, and so is in how many parts long ones come:
    // with each part the task that reads it runs.
    timing: {
      let all: Set<Counter> = [.systemCalls, .vainCalls, .waits, .instructions]
      return $0.parameters["size"] > 16_384 ? all.union([.jobs, .jobsRun]) : all
    },
    check: .answers,
    rows: HTTPGet.rows(beside: "http-client"),
    targets: [
      Target(
        "http-client", ["in-flight": 50, "size": 13],
        bounds: [.callback: 1.5, .async: 1.5, .promise: 1.5, .future: 1.5]),
      Target(
        "http-client", ["in-flight": 50, "size": 65_536],
        bounds: [.callback: 1.5, .async: 1.5, .promise: 1.5, .future: 1.5]),
    ])
}

/// `http-client` by `UVHTTP`: the head of an answer, then its body.
enum HTTPGet: LoopRows {
  static let callback = HTTPGetRun.callbacks { run, _, _ in
    run.issue = { get in
      run.client.get(run.url) { result in
        guard let answer = run.value(result) else { return }
        answer.body.readToEnd(limit: run.limit) { result in
          guard let body = run.value(result) else { return }
          run.end(get, answer, body)
        }
      }
    }
    run.begin()
  }

  static let promise = HTTPGetRun.callbacks { run, _, _ in
    run.issue = { get in
      run.client.get(run.url).promise().then { answer in
        answer.body.readToEnd(limit: run.limit).promise().done { run.end(get, answer, $0) }
      }.catch { run.fail($0) }
    }
    run.begin()
  }

  static let future = HTTPGetRun.callbacks { run, task, _ in
    run.begin {
      run.operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
        .flatMap(maxPublishers: .max(task.inFlight)) { index in
          let get = run.operations.begin(index)
          return run.client.get(run.url).publisher().flatMap { answer in
            answer.body.readToEnd(limit: run.limit).publisher().map { run.end(get, answer, $0) }
          }
        }
        .sink(receiveCompletion: run.operations.check, receiveValue: {})
    }
  }

  static let async = HTTPGetRun.task { run, task, loop in
    run.begin {
      for _ in 0..<task.inFlight {
        loop.spawn {
          do throws(UVError) {
            while let get = run.operations.next() {
              let answer = try await run.client.get(run.url).value
              run.end(get, answer, try await answer.body.readToEnd(limit: run.limit).value)
            }
          } catch { run.fail(error) }
        }
      }
    }
  }
}

/// What the rows of `http-client` share: the client, whose connections are there when the window opens, and
/// the operations dealt out.
private final class HTTPGetRun: RowRun {
  typealias Operation = LoopOperations.Operation

  let client: HTTPClient
  let url: String
  /// The most bytes that a body may have.
  let limit: Int
  private(set) var operations: LoopOperations
  /// Begins an operation, for a row in which each that ends begins another.
  var issue: ((Operation) -> Void)?
  private let task: LoopTask

  init(_ task: LoopTask, on loop: EventLoop) {
    self.task = task
    var options = HTTPClientOptions()
    options.connections.resources = task.inFlight
    client = HTTPClient(loop, options: options)
    url = "http://127.0.0.1:\(task.port)/hello"
    limit = task.parameters["size"]
    operations = LoopOperations(closed: task, on: loop)
    operations.atEnd = { [client] in client.close() }
  }

  /// Has each connection answer once, opens the window, and begins the operations.
  func begin(_ body: (() -> Void)? = nil) {
    var missing = task.inFlight
    for _ in 0..<task.inFlight {
      client.get(url) { [self] result in
        guard let answer = value(result) else { return }
        answer.body.readToEnd(limit: limit) { [self] result in
          missing -= 1
          guard value(result) != nil, missing == 0 else { return }
          operations.open()
          if let body { body() } else { for _ in 0..<task.inFlight { next() } }
        }
      }
    }
  }

  private func next() {
    guard let issue, let operation = operations.next() else { return }
    issue(operation)
  }

  /// Ends an operation with the answer.
  func end(_ get: Operation, _ answer: HTTPClientResponse, _ body: Bytes) {
    let last = CChar(bitPattern: body[body.count - 1])
    operations.end(get, bench_http_found(UInt32(answer.status.code), body.count, last))
    next()
  }

  func value<Value>(_ result: Result<Value, UVError>) -> Value? { operations.value(result) }

  /// Notes a failure; nothing more is issued.
  func fail(_ error: any Error) { operations.fail(error) }

  func report() throws -> LoopReport {
    issue = nil
    return try operations.report()
  }
}
