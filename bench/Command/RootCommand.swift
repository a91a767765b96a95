import ArgumentParser
import BenchKit

/// The program.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: BenchMain.current.name, abstract: BenchMain.current.abstract,
    subcommands: [
      RunCommand.self, TargetsCommand.self, PeersCommand.self, ScaleCommand.self, CompareCommand.self,
      ReportCommand.self, HistoryCommand.self, GateCommand.self, SelftestCommand.self,
      ProfileCommand.self, DoctorCommand.self, CheckCommand.self, WorkerCommand.self,
    ] + BenchMain.current.commands,
    defaultSubcommand: RunCommand.self)

  /// Parses the command line, does what it says, and returns what to exit with.
  static func start() -> BenchExit {
    do {
      let arguments = try arguments(Array(CommandLine.arguments.dropFirst()))
      var command = try parseAsRoot(arguments)
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

  /// The words of the command line: those of `gate selftest` as one, since it is a command beside
  /// `gate`. What is the name of no command is an error here, where all names are known.
  static func arguments(_ words: [String]) throws -> [String] {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    if let first = words.first, !first.hasPrefix("-"), first != "help", !names.contains(first) {
      throw UsageError("there is no command `\(first)`; there are \(names.joined(separator: ", "))")
    }
    let at = words.first == "help" ? 1 : 0
    guard words.count > at + 1, words[at] == "gate", words[at + 1] == "selftest" else { return words }
    return words[..<at] + ["gate selftest"] + words[(at + 2)...]
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
