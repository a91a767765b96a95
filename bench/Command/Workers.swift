import BenchKit

/// How workers of this program, or of another build of it, are started.
public struct Workers {
  /// Where they put their files.
  var directory: String
  var program = Executable.path
  /// What is said to them besides.
  var arguments: [String] = []

  /// How many threads libuv's pool has: the same for all.
  static let threads = ProcessInfo.processInfo.environment["UV_THREADPOOL_SIZE"] ?? "4"

  /// Workers of this program.
  ///
  /// - Parameters:
  ///   - directory: Where they put their files.
  ///   - arguments: What is said to them besides.
  public init(directory: String, arguments: [String] = []) {
    self.directory = directory
    self.arguments = arguments
  }

  var command: [String] {
    [program, "worker", "--parent", "\(getpid())", "--directory", directory] + arguments
  }

  public func start() throws -> WorkerProcess {
    try WorkerProcess(command: command, environment: ["UV_THREADPOOL_SIZE": Self.threads])
  }
}
