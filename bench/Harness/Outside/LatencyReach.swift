/// What a gate would have seen: from which delay of one request in a hundred on it would have found that.
///
/// The pairs that were measured say how far pairs scatter. Gates with such pairs, in which the new server has a delay besides,
/// are drawn from them, and judged as this one was.
struct LatencyReach: Codable, Hashable, Sendable {
  /// How many gates of twenty are to find it.
  static let wanted = 0.95
  /// The share of the requests that is delayed.
  static let share = 0.01
  /// How many gates are drawn.
  private static let draws = 100
  /// The longest delay that is tried, in nanoseconds.
  private static let longest = 10e9

  /// The shortest delay that is found in 19 of 20 gates, in nanoseconds; nil where none is.
  var delay: Double?
  /// Where a delay was asked for: the share of the gates that find it.
  var found: Double?

  /// - Parameters:
  ///   - samples: What the pairs have shown of p99.
  ///   - asked: The delay that has to be found, in nanoseconds.
  ///   - isFound: Whether a gate with such logarithms of ratios ends with a regression.
  init(_ samples: [OutsideSample], asked: Double?, isFound: ([Double]) -> Bool) {
    let pairs = samples.compactMap { sample -> (shift: Double, tail: LatencyTail)? in
      guard sample.shift.isFinite, let latencies = sample.latencies else { return nil }
      return (sample.shift, LatencyTail(latencies))
    }
    guard let centre = SignedRank(pairs.map(\.shift)).estimate else { return }
    /// The share of the gates that find it. A regression has to be found twice.
    func share(finding delay: Double) -> Double {
      // What a delay does to the old server's latencies in each pair, beside what sets the pairs apart.
      let shifts = pairs.map { shift, tail in
        shift - centre + log(tail.delayed(Self.share, by: delay).mean(around: 99) / tail.mean(around: 99))
      }
      var random = SplitMix64(seed: 1)
      let hits = (0..<Self.draws).count { _ in
        isFound(shifts.map { _ in shifts[Int(random.next() % UInt64(shifts.count))] })
      }
      let once = Double(hits) / Double(Self.draws)
      return once * once
    }
    found = asked.map(share)
    guard share(finding: Self.longest) >= Self.wanted else { return }
    // Halved until it is known within a tenth.
    var (low, high) = (1e3, Self.longest)
    while high > 1.1 * low {
      let middle = (low * high).squareRoot()
      if share(finding: middle) >= Self.wanted { high = middle } else { low = middle }
    }
    delay = high
  }

  /// In a sentence.
  var sentence: String {
    var text =
      delay.map {
        "p99: if one request in a hundred had taken \(Figure.duration($0)) longer, 19 of 20 such gates would have found it"
      } ?? "p99: no delay of one request in a hundred would have been found: the pairs differ too much"
    if let found {
      text += "; the delay that was asked for is found by \(Figure.fixed(found * 100, digits: 0)) of 100"
    }
    return text
  }
}
