import ArgumentParser
import BenchKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program.
struct UVBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uvbench",
    abstract: "What does each style of swift-uv cost beside plain C on the same libuv?",
    subcommands: [RunCommand.self, WorkerCommand.self],
    defaultSubcommand: RunCommand.self)

  /// Parses the command line, does what it says, and returns what to exit with.
  static func start() -> BenchExit {
    do {
      var command = try parseAsRoot()
      try command.run()
      return .success
    } catch let error where isOwn(error) {
      if !(error is Interrupted) { complain("uvbench: \(error)") }
      return BenchExit(error)
    } catch {
      // The parser's own: help is no error, anything else is wrong use.
      let message = fullMessage(for: error)
      if exitCode(for: error) == .success {
        print(message)
        return .success
      }
      complain(message)
      return .usage
    }
  }

  private static func isOwn(_ error: any Error) -> Bool {
    error is WrongWork || error is WorkerFailure || error is UsageError || error is Interrupted
  }

  /// A line on standard error.
  static func complain(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
