// Runs programs, and starts them again when they fail: `Supervisor 'COMMAND' …`, `Supervisor --help`.
//
// Each command is a line for the shell. The programs' output is printed here line by line, with a number in
// front.
import ArgumentParser
import Foundation
import UV

@main
struct Supervisor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs programs, and starts them again when they fail.",
    discussion:
      "SIGTERM and SIGINT end the programs and then the supervisor; SIGHUP starts the programs anew.")

  @Argument(help: "The programs, each a line for the shell.") var commands: [String]
  @Option(help: "How often a program may fail one time after the other before it is given up.")
  var maxFailures = 10
  @Option(
    help: "How many milliseconds to wait after the first failure; twice as many after each that follows.")
  var backoff = 100
  @Option(help: "How many seconds a program may take to end after SIGTERM, before it is killed.") var grace =
    10
  @Option(help: "How many bytes of a line are printed in one piece.") var maxLine = 16 * 1024

  func validate() throws {
    guard !commands.isEmpty else { throw ValidationError("There is no program to run.") }
    guard maxFailures >= 1, 1...60_000 ~= backoff, grace >= 0, maxLine >= 1 else {
      throw ValidationError(
        "--max-failures and --max-line are 1 or more, --backoff is 1 to 60000, and --grace is 0 or more.")
    }
  }

  func run() throws {
    let succeeded = try EventLoop.run { loop in
      let output = try loop.standardOutput
      let services = commands.enumerated().map { index, command in
        Service("\(index + 1)", command, self, loop, output)
      }
      try handleSignals(loop, services)
      try await loop.withTasks { tasks in
        for service in services { tasks.spawn { try await service.run() } }
      }
      return !services.contains { $0.isGivenUp }
    }
    if !succeeded { throw ExitCode.failure }
  }

  private func handleSignals(_ loop: EventLoop, _ services: [Service]) throws(UVError) {
    for signal in [Signal.terminate, .interrupt, .hangup] {
      let signals = try loop.signals(signal)
      signals.keepsLoopRunning = false
      signals.start { result in
        // The end of the watcher, which comes with the loop's end, is no signal.
        guard case .success(_?) = result else { return }
        for service in services {
          if signal == .hangup { service.restart() } else { service.stop() }
        }
      }
    }
  }
}
