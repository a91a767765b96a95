import ArgumentParser
import BenchHarness
import BenchSoak
import Foundation

/// `soak`.
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Churn connections, files and timers, and see that nothing is left.",
    discussion: """
      Connects, talks, closes and resets on either side, cancels, gives up, opens
      and drops, at random. Errors are meant to happen, and are counted. At the end
      as many descriptors, handles and bytes of the heap must be in use as after
      the warm-up.

      Exit codes: 0 it ended where it began, 2 wrong use, 3 it did not.
      """)

  @Option(help: "Seconds, after the warm-up.")
  var seconds = 60.0

  @Option(help: "How many operations, in place of a time.")
  var operations: Int?

  @Option(help: "What the random numbers begin with. (default: the time)")
  var seed: UInt64?

  @Option(help: "Operations under way at a time.")
  var workers = 32

  func validate() throws {
    guard seconds > 0, seconds <= 1e6 else {
      throw ValidationError("--seconds is more than 0, and at most 1000000")
    }
    guard operations ?? 1 > 0 else { throw ValidationError("--operations is more than 0") }
    guard 1...10_000 ~= workers else { throw ValidationError("--workers is 1 to 10000") }
  }

  func run() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "uvbench-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let seed = seed ?? UInt64(Date().timeIntervalSince1970)
    let length = operations.map { Soak.Length.operations($0) } ?? .seconds(seconds)
    print("soak: seed \(seed)")
    let soak = Soak(length: length, seed: seed, workers: workers, directory: directory)
    let progress = Progress()
    let report = try soak.run { share, operations in
      progress.show(Figure.number(operations, "operation"), share: share)
    }
    progress.clear()
    print(report)
    guard report.problems.isEmpty else { throw WrongWork("the soak did not end where it began") }
  }
}
