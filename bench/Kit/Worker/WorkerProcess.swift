/// What measures a row on request.
public protocol RowWorker: AnyObject {
  /// What it said first.
  var hello: WorkerHello { get }

  /// Sends a request and waits for the figures.
  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer

  /// Lets it end.
  func finish()
}

/// The harness's side of the line protocol: one live worker.
public final class WorkerProcess: RowWorker {
  private let child: ChildProcess
  /// What the worker said first.
  public let hello: WorkerHello

  /// Starts a worker and hears its greeting, which must come within so many seconds.
  public init(
    command: [String], environment: [String: String] = [:], greeting: Double = 30
  ) throws {
    child = try ChildProcess(command, environment: environment)
    let line = try child.readLine(within: greeting)
    do {
      hello = try LineJSON.value(WorkerHello.self, line)
    } catch {
      throw WorkerFailure("a worker greeted with `\(line)`")
    }
    guard hello.protocol == WorkerHello.currentVersion else {
      throw WorkerFailure("the worker speaks version \(hello.protocol) of the protocol")
    }
  }

  /// Sends a request and waits for the figures.
  public func ask(_ request: WorkerRequest, within seconds: Double = 120) throws -> WorkerAnswer {
    let line: String
    do {
      try child.write(request.description)
      line = try child.readLine(within: seconds)
    } catch let failure as WorkerFailure {
      throw WorkerFailure("\(request.id): \(failure)")
    }
    guard let answer = try? LineJSON.value(WorkerAnswer.self, line) else {
      throw WorkerFailure("\(request.id): the worker answered `\(line.prefix(200))`")
    }
    switch answer.failure {
    case .wrongWork: throw WrongWork("\(request.id): \(answer.message ?? "")")
    case .usage: throw UsageError("\(request.id): \(answer.message ?? "")")
    case nil: return answer
    }
  }

  /// Lets the worker end.
  public func finish() { child.finish() }
}
