public import UVSimulation

/// A program that is drawn from a seed: tasks on two sides that share streams, files and pools, each of them a list of
/// steps. A model says of each step what may come of it, and when.
///
/// What holds of every program: each request is answered once, by what it asked for or by an error that somebody caused, and
/// in time; bytes come once and in order; files hold what was written; nothing is left open; and it ends.
public struct RandomProgram: Hashable, Sendable {
  /// Where the kernel's choices come from.
  public var seed: UInt64
  /// How bad network and calls are.
  public var weather: Weather
  /// The streams between the two sides.
  public var streams: [ProgramTransport]
  /// How many files each side has.
  public var files: Int
  /// The pools that each side has.
  public var pools: [ProgramPool]
  /// What the tasks do. Each does its own steps in their order.
  public var steps: [ProgramStep]

  /// Creates a program.
  public init(
    seed: UInt64, weather: Weather = .calm, streams: [ProgramTransport] = [], files: Int = 0,
    pools: [ProgramPool] = [], steps: [ProgramStep]
  ) {
    (self.seed, self.weather, self.streams, self.files) = (seed, weather, streams, files)
    (self.pools, self.steps) = (pools, steps)
  }

  /// The program as code that can be pasted into a test.
  public var code: String {
    let kinds = streams.map { ".\($0)" }.joined(separator: ", ")
    var parts = ["seed: \(seed)", "weather: \(weather.code)"]
    if !streams.isEmpty { parts.append("streams: [\(kinds)]") }
    if files > 0 { parts.append("files: \(files)") }
    if !pools.isEmpty { parts.append("pools: \(pools)") }
    return """
      try RandomProgram(
        \(parts.joined(separator: ", ")),
        steps: [
      \(steps.map { "    \($0)," }.joined(separator: "\n"))
        ]
      ).run()
      """
  }

  // MARK: Shrinking

  /// The smallest program that was found to fail, by leaving out steps and making them plainer as long as it fails.
  ///
  /// - Parameters:
  ///   - most: How many programs may be tried.
  ///   - failure: Says why a program fails; nil if it doesn't.
  public func shrunk(atMost most: Int = 1000, _ failure: (RandomProgram) -> String?) -> RandomProgram {
    var best = self
    var tries = 0
    func attempt(_ change: (inout RandomProgram) -> Void) -> Bool {
      var other = best
      change(&other)
      guard other != best, tries < most else { return false }
      tries += 1
      if failure(other) == nil { return false }
      best = other
      return true
    }
    _ = attempt { $0.weather = .calm }
    // Chunks that are ever smaller, by Zeller's algorithm.
    func leaveOutSteps() {
      var chunk = max(best.steps.count / 2, 1)
      while true {
        var (start, isSmaller) = (0, false)
        while start < best.steps.count {
          let range = start..<min(start + chunk, best.steps.count)
          if attempt({ $0.steps.removeSubrange(range) }) { isSmaller = true } else { start += chunk }
        }
        if chunk == 1, !isSmaller { return }
        chunk = max(chunk / 2, 1)
      }
    }
    leaveOutSteps()
    for index in best.steps.indices {
      _ = attempt { $0.steps[index].end = .patient }
      _ = attempt { $0.steps[index].style = .callback }
      _ = attempt { $0.steps[index].waits = false }
      _ = attempt { $0.steps[index].task %= 2 }
    }
    _ = attempt { $0.files = 0 }
    _ = attempt { $0.pools = [] }
    while attempt({ if !$0.streams.isEmpty { $0.streams.removeLast() } }) {}
    for index in best.streams.indices { _ = attempt { $0.streams[index] = .tcp } }
    leaveOutSteps()
    return best
  }
}

extension Weather {
  /// The weather as code.
  var code: String {
    if self == .calm { return ".calm" }
    if self == .storm { return ".storm" }
    if self == .usual { return ".usual" }
    return """
      Weather(latency: .nanoseconds(\(latency / .nanoseconds(1))), jitter: .nanoseconds(\(jitter / .nanoseconds(1))), \
      cut: \(cut), loss: \(loss), duplication: \(duplication), interruption: \(interruption), refusal: \(refusal))
      """
  }
}
