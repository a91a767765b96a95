import ArgumentParser
import BenchKit
import BenchWaits
import Foundation

/// `waits`.
struct WaitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waits",
    abstract: "How late is a timer beside work that never waits?",
    discussion: """
      Runs a ticker of one millisecond beside each style's busiest loop, and prints
      how late a tick was at most: by the clock, and in processor time of the loop's
      own thread, which a busy machine doesn't add to. The latter is below 5 ms.

      Exit codes: 0 all below the limit, 2 wrong use, 3 not.
      """)

  @Option(help: "Seconds for each.")
  var seconds = 1.0

  @Option(help: "Milliseconds that a tick may be late.")
  var limit = 5.0

  @Argument(help: "What to run, by a part of its name; all if left out.")
  var names: [String] = []

  func validate() throws {
    guard seconds > 0, seconds <= 3600 else {
      throw ValidationError("--seconds is more than 0, and at most 3600")
    }
    guard limit > 0 else { throw ValidationError("--limit is more than 0") }
  }

  func run() throws {
    var late: [String] = []
    for (name, load) in LongestWait.loads where names.isEmpty || names.contains(where: name.contains) {
      let found = try LongestWait(of: load, for: .milliseconds(Int(seconds * 1000)))
      let title = name.padding(toLength: 24, withPad: " ", startingAt: 0)
      print(
        title,
        String(
          format: "%7.2f ms, own %7.2f ms", found.wait.inMilliseconds, found.processorTime.inMilliseconds),
        " \(found.ticks) ticks, \(found.operations) operations")
      if found.processorTime.inMilliseconds >= limit { late.append(name) }
    }
    guard late.isEmpty else { throw WrongWork("a timer was late beside: \(late.joined(separator: "; "))") }
  }
}

extension Duration {
  fileprivate var inMilliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
