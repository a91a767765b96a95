/// The smallest run that still fails, as far as it was found.
public struct ShrunkRun: Sendable {
  /// The seed.
  public let seed: UInt64
  /// The weather that is left.
  public let weather: Weather
  /// The numbers of the faults that are left.
  public let faults: [Int]
  /// How the smallest run failed.
  public let error: SimulationError
  /// How many runs it took.
  public let runs: Int

  /// A call that repeats the run, to be pasted into a test.
  public var code: String {
    var parts: [String] = []
    let calm = Weather(latency: .zero, jitter: .zero)
    if weather.latency != calm.latency {
      parts.append("latency: .nanoseconds(\(UInt64(nanoseconds: weather.latency)))")
    } else {
      parts.append("latency: .zero")
    }
    if weather.jitter != calm.jitter {
      parts.append("jitter: .nanoseconds(\(UInt64(nanoseconds: weather.jitter)))")
    } else {
      parts.append("jitter: .zero")
    }
    for (name, chance) in [
      ("cut", weather.cut), ("loss", weather.loss), ("duplication", weather.duplication),
      ("interruption", weather.interruption), ("refusal", weather.refusal),
    ]
    where chance > 0 { parts.append("\(name): \(chance)") }
    if let bandwidth = weather.bandwidth { parts.append("bandwidth: \(bandwidth)") }
    if weather.unsyncedLoss != calm.unsyncedLoss { parts.append("unsyncedLoss: \(weather.unsyncedLoss)") }
    if weather.diskError > 0 { parts.append("diskError: \(weather.diskError)") }
    return """
      // \(error.description.split(separator: "\n").first ?? "")
      try Simulation(
        seed: \(seed), weather: Weather(\(parts.joined(separator: ", "))), faults: \(faults)
      ) { world in
        …
      }
      """
  }
}

extension Simulation {
  /// Makes a failing run smaller: with fewer kinds of faults, and then with fewer faults, as long as it still
  /// fails.
  ///
  /// - Parameters:
  ///   - seed: The seed of the failing run.
  ///   - weather: Its weather.
  ///   - limit: How much time may pass on the world's clock.
  ///   - most: How many runs it may take.
  ///   - body: The world. It begins anew for each run.
  /// - Returns: The smallest run that was found; nil if the run doesn't fail.
  public static func shrink(
    seed: UInt64, weather: Weather, limit: Duration = .seconds(2 * 86_400), atMost most: Int = 500,
    _ body: @escaping (World) throws -> Void
  ) -> ShrunkRun? {
    var runs = 0
    func failure(_ weather: Weather, _ faults: [Int]?) -> SimulationError? {
      guard runs < most else { return nil }
      runs += 1
      do {
        try Simulation(seed: seed, limit: limit, weather: weather, faults: faults, body)
        return nil
      } catch { return error }
    }
    var weather = weather
    guard var error = failure(weather, nil) else { return nil }
    // Whole kinds of faults.
    let milder: [(inout Weather) -> Void] = [
      { $0.cut = 0 }, { $0.loss = 0 }, { $0.duplication = 0 }, { $0.interruption = 0 },
      { $0.refusal = 0 }, { $0.unsyncedLoss = 0 }, { $0.diskError = 0 }, { $0.jitter = .zero },
      { $0.latency = .zero }, { $0.bandwidth = nil },
    ]
    for change in milder {
      var other = weather
      change(&other)
      if other != weather, let smaller = failure(other, nil) { (weather, error) = (other, smaller) }
    }
    // Then single faults: chunks that are ever smaller, by Zeller's algorithm.
    var faults = Array(0..<error.faultCount)
    guard let first = failure(weather, faults) else {
      return ShrunkRun(seed: seed, weather: weather, faults: faults, error: error, runs: runs)
    }
    error = first
    if let none = failure(weather, []) { (faults, error) = ([], none) }
    var chunk = max(faults.count / 2, 1)
    while !faults.isEmpty, runs < most {
      var start = 0
      var isSmaller = false
      while start < faults.count, runs < most {
        let rest = Array(faults[..<start] + faults[min(start + chunk, faults.count)...])
        if let smaller = failure(weather, rest) {
          (faults, error, isSmaller) = (rest, smaller, true)
        } else {
          start += chunk
        }
      }
      if chunk == 1, !isSmaller { break }
      chunk = max(chunk / 2, 1)
    }
    return ShrunkRun(seed: seed, weather: weather, faults: faults, error: error, runs: runs)
  }
}
