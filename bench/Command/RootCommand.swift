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
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: BenchMain.current.name, abstract: BenchMain.current.abstract,
    subcommands: [
      RunCommand.self, TargetsCommand.self, PeersCommand.self, ScaleCommand.self, CompareCommand.self,
      ReportCommand.self, GateCommand.self,
      DoctorCommand.self, CheckCommand.self, WorkerCommand.self,
    ] + BenchMain.current.commands,
    defaultSubcommand: RunCommand.self)

  /// Parses the command line, does what it says, and returns what to exit with.
  static func start() -> BenchExit {
    do {
      var command = try parseAsRoot()
      try command.run()
      return .success
    } catch let exit as ExitWith {
      return exit.code
    } catch let error where isOwn(error) {
      complain("\(BenchMain.current.name): \(error)")
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
    error is WrongWork || error is WorkerFailure || error is UsageError || error is NotComparable
      || error is Interrupted
  }

  /// A line on standard error.
  static func complain(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// Ends the program with a code when all has been said.
struct ExitWith: Error {
  /// The code.
  var code: BenchExit
}
