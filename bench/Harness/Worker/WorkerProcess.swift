protocol RowWorker: AnyObject {
  var hello: WorkerHello { get }
  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer
  func finish()
}

extension RowWorker {
  var hello: WorkerHello { WorkerHello() }
}

/// The harness's side of the line protocol: one live worker.
final class WorkerProcess: RowWorker {
  private let child: ChildProcess
  let hello: WorkerHello

  /// Starts a worker and hears its greeting, which must come within so many seconds.
  init(command: [String], environment: [String: String] = [:], greeting: Double = 30) throws {
    child = try ChildProcess(command, environment: environment)
    let line: String
    do {
      line = try child.readLine(within: greeting)
    } catch let failure as WorkerFailure {
      throw WorkerFailure("\(command[0]) did not greet as a worker does: \(failure)")
    }
    do {
      hello = try LineJSON.value(WorkerHello.self, line)
    } catch {
      throw WorkerFailure("\(command[0]) did not greet as a worker does, but with `\(line.prefix(200))`")
    }
    guard hello.protocol == WorkerHello.currentVersion else {
      throw NotComparable(
        "\(command[0]) speaks version \(hello.protocol) of the workers' protocol, and this program"
          + " version \(WorkerHello.currentVersion)")
    }
  }

  func ask(_ request: WorkerRequest, within seconds: Double = 120) throws -> WorkerAnswer {
    try send(request)
    return try receive(request, within: seconds)
  }

  /// Sends a request, whose figures `receive` is to wait for.
  func send(_ request: WorkerRequest) throws {
    try naming(request.id) { try child.write(request.description) }
  }

  /// Waits for the figures of a request that was sent.
  func receive(_ request: WorkerRequest, within seconds: Double = 120) throws -> WorkerAnswer {
    let line = try naming(request.id) { try child.readLine(within: seconds) }
    guard let answer = try? LineJSON.value(WorkerAnswer.self, line) else {
      throw WorkerFailure("\(request.id): the worker answered `\(line.prefix(200))`")
    }
    switch answer.failure {
    case .wrongWork: throw WrongWork("\(request.id): \(answer.message ?? "")")
    case .usage: throw UsageError("\(request.id): \(answer.message ?? "")")
    case nil: return answer
    }
  }

  func finish() { child.finish() }
}
