import Foundation
import RandomPrograms
import Synchronization

/// Runs programs from a seed on, each on a thread of its own, for a time.
final class Runner: Sendable {
  /// A minute has room for more programs if their times are short.
  private static let hurry = 20
  private let root: String
  private let end: Date
  private let next: Atomic<UInt64>
  private let done = Atomic<Int>(0)

  init(root: String, first: UInt64, seconds: Double) {
    self.root = root
    end = Date().addingTimeInterval(seconds)
    next = Atomic(first)
  }

  /// How many programs have ended.
  var count: Int { done.load(ordering: .relaxed) }

  func run(threads count: Int) {
    let finished = DispatchSemaphore(value: 0)
    for place in 0..<count {
      Thread.detachNewThread { [self] in
        repeat { run(next.wrappingAdd(1, ordering: .relaxed).oldValue, place) } while Date() < end
        finished.signal()
      }
    }
    for _ in 0..<count { finished.wait() }
  }

  /// Runs one program. If it fails, the process ends.
  private func run(_ seed: UInt64, _ place: Int) {
    let watching = DispatchWorkItem { Self.fail(seed, "it hasn't ended within five minutes") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watching)
    let folder = "\(root)/seed-\(seed)"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try RandomProgram(seed: seed, hurry: Self.hurry).run(
        at: ProgramPlace(folder: folder, port: 20_000 + place * 3))
      try FileManager.default.removeItem(atPath: folder)
    } catch { Self.fail(seed, "\(error)") }
    watching.cancel()
    done.wrappingAdd(1, ordering: .relaxed)
  }

  private static func fail(_ seed: UInt64, _ reason: String) -> Never {
    print("program of seed \(seed): \(reason)\n\(RandomProgram(seed: seed, hurry: Self.hurry).code)")
    exit(1)
  }
}
