import CBenchHooks
import UV

/// Churns connections, files and timers, ends them at random in every way there is, and looks what is left.
///
/// Everything runs on one loop, both ends of each connection included.
public struct Soak: Sendable {
  /// When it is enough.
  public enum Length: Sendable {
    case seconds(Double)
    case operations(Int)
  }

  /// How long, after the warm-up.
  public var length: Length
  /// What the random numbers begin with.
  public var seed: UInt64
  /// How many operations are under way at a time.
  public var workers: Int
  /// A directory of the soak's own for files.
  public var directory: String
  /// How many bytes the heap may have grown at the end: a kind of error that is seen for the first time needs
  /// a line of its own. The whole process counts.
  private static let heapAllowance = 4 << 10

  /// A soak.
  public init(length: Length, seed: UInt64, workers: Int = 32, directory: String) {
    self.length = length
    self.seed = seed
    self.workers = workers
    self.directory = directory
  }

  /// Runs it on a loop of its own, on the calling thread.
  ///
  /// - Parameter progress: Called once a second with how far it is, from 0 to 1, and how many operations
  ///   ended.
  /// - Throws: What the system says if not even a listener can be had.
  public func run(progress: @escaping @Sendable (Double, Int) -> Void = { _, _ in }) throws -> SoakReport {
    bench_hooks_track(1)
    defer { bench_hooks_track(0) }
    return try EventLoop.run { loop in try await run(on: loop, progress) }
  }

  private func run(
    on loop: EventLoop, _ progress: @escaping @Sendable (Double, Int) -> Void
  ) async throws(UVError) -> SoakReport {
    let churn = try Churn(loop, seed: seed, directory: directory)
    // Caches fill up first.
    switch length {
    case .seconds(let seconds): try await phase(churn, .seconds(max(0.5, seconds / 10))) { _, _ in }
    case .operations(let count): try await phase(churn, .operations(max(200, count / 4))) { _, _ in }
    }
    try await churn.crowd(2 * workers)
    churn.report.startOver()
    churn.report.start = Footprint(loop)
    try await phase(churn, length, progress)
    churn.report.end = Footprint(loop)
    churn.report.heapAllowance = Self.heapAllowance
    churn.close()
    return churn.report
  }

  /// Has all workers at work until it is enough, and waits until nothing is under way.
  private func phase(
    _ churn: Churn, _ length: Length, _ progress: @escaping @Sendable (Double, Int) -> Void
  ) async throws(UVError) {
    let loop = churn.loop
    let began = loop.clock.now
    func share() -> Double {
      switch length {
      case .operations(let count): Double(churn.report.total) / Double(count)
      case .seconds(let seconds): (began.duration(to: loop.clock.now) / .seconds(1)) / seconds
      }
    }
    let tasks = (0..<workers).map { _ in
      loop.spawn { () async throws(UVError) in while share() < 1 { try await churn.step() } }
    }
    let reporter = loop.spawn { () async throws(UVError) in
      while share() < 1 {
        try await loop.sleep(for: .seconds(1)).value
        progress(min(share(), 1), churn.report.total)
      }
    }
    for task in tasks { try await task.value }
    reporter.cancel()
    _ = try? await reporter.value
    try await churn.settle()
  }
}
