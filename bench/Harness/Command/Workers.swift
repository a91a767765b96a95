/// How workers of this program, or of another build of it, are started.
public struct Workers {
  /// Where they put their files. The command line removes it in the end.
  public let directory: String
  var program = Executable.path
  var arguments: [String]

  /// How many threads libuv's pool has: the same for all.
  static let threads = ProcessInfo.processInfo.environment["UV_THREADPOOL_SIZE"] ?? "4"

  /// Workers of this program, to whom `arguments` are said besides. From here on a signal ends what is
  /// measured.
  public init(arguments: [String] = []) throws {
    Interruption.install()
    directory = try ScratchDirectory.ownPath()
    self.arguments = arguments
  }

  var command: [String] {
    [program, "worker", "--parent", "\(getpid())", "--directory", directory] + arguments
  }

  func start() throws -> WorkerProcess {
    try WorkerProcess(command: command, environment: ["UV_THREADPOOL_SIZE": Self.threads])
  }
}
