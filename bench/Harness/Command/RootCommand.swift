import ArgumentParser

struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: BenchMain.current.name, abstract: BenchMain.current.abstract,
    subcommands: [
      RunCommand.self, PeersCommand.self, CompareCommand.self, ReportCommand.self, HistoryCommand.self,
      GateCommand.self, SelftestCommand.self, ProfileCommand.self, DoctorCommand.self, WorkerCommand.self,
    ] + BenchMain.current.commands,
    defaultSubcommand: RunCommand.self)

  /// Parses the command line, does what it says, and returns what to exit with.
  static func start() -> Int32 {
    defer { ScratchDirectory.removeOwn() }
    do {
      let arguments = try arguments(Array(CommandLine.arguments.dropFirst()))
      var command = try parseAsRoot(arguments)
      try command.run()
      return BenchExit.success.rawValue
    } catch let exit as ExitCode {
      // All has been said.
      return exit.rawValue
    } catch let error as any BenchError {
      // A worker that the same key press has ended is not what went wrong.
      let error: any BenchError = Interruption.isAsked ? Interrupted() : error
      complain("\(BenchMain.current.name): \(error)")
      return BenchExit(error).rawValue
    } catch {
      // The parser's own: help is no error, anything else is wrong use.
      let message = fullMessage(for: error)
      if exitCode(for: error) == .success {
        print(message)
        return BenchExit.success.rawValue
      }
      // What is missing may be missing since its name is misspelt.
      for word in unknownOptions(Array(CommandLine.arguments.dropFirst()))
      where !message.contains("'\(word)'") {
        complain("Error: Unknown option '\(word)'")
      }
      complain(message)
      return BenchExit.usage.rawValue
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

  /// Those of the words that look like an option and aren't one of their command.
  static func unknownOptions(_ words: [String]) -> [String] {
    let name = try? arguments(words).first
    let command = configuration.subcommands.first { $0.configuration.commandName == name } ?? RunCommand.self
    let help = helpMessage(for: command, includeHidden: true, columns: 1000)
    let known = Set(help.matches(of: #/--[a-z0-9-]+/#).map { String($0.0) })
    return words.prefix { $0 != "--" }.compactMap { $0.split(separator: "=").first.map(String.init) }
      .filter { $0.wholeMatch(of: #/--[a-zA-Z0-9-]+/#) != nil && !known.contains($0) }
  }

  static func complain(_ message: String) { BenchHarness.complain(message + "\n") }
}
