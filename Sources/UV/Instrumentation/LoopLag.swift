/// How long a loop's turns took, and how long events waited for the loop; see ``EventLoop/lag``.
///
/// A turn begins when the loop has got events from the system, and ends when it asks for the next. The time
/// that the loop waits for events isn't part of a turn. While a turn runs, nothing else does: an event that
/// comes meanwhile waits.
///
/// Each figure has an error of at most 3 %, except ``count``, ``mean``, ``max`` and the times, which are
/// exact. Turns of more than 73 minutes count as that long in percentiles.
public struct LoopLag: Hashable, Sendable {
  private var buckets: [UInt64]
  private var turns: UInt64
  private var sum: UInt64
  private var longest: UInt64
  private var elapsed: UInt64

  /// Creates a value without turns, to add others to.
  public init() { self.init(buckets: [], count: 0, sum: 0, longest: 0, elapsed: 0) }

  init(buckets: [UInt64], count: UInt64, sum: UInt64, longest: UInt64, elapsed: UInt64) {
    self.buckets = buckets
    turns = count
    self.sum = sum
    self.longest = longest
    self.elapsed = elapsed
  }

  /// How many turns have ended.
  public var count: Int { Int(turns) }

  /// How long a turn took on average; zero if there was none.
  public var mean: Duration { turns == 0 ? .zero : .nanoseconds(sum / turns) }

  /// How long the longest turn took.
  public var max: Duration { .nanoseconds(longest) }

  /// How long all turns took together.
  public var busyTime: Duration { .nanoseconds(sum) }

  /// How long was measured, the time that the loop waited included. For several loops it is their sum.
  public var elapsedTime: Duration { .nanoseconds(elapsed) }

  /// The time that a turn took at most, for so many of a hundred turns. Complexity: O(1), a walk over 1,024
  /// buckets.
  ///
  /// - Parameter percent: 0…100, such as 99.9. Values outside count as the nearer end.
  /// - Returns: The time, or zero if there was no turn.
  public func percentile(_ percent: Double) -> Duration {
    let wanted = Double(turns) * Swift.min(Swift.max(percent, 0), 100) / 100
    var found: UInt64 = 0
    for (index, count) in buckets.enumerated() where count > 0 {
      found += count
      if Double(found) >= wanted { return .nanoseconds(Swift.min(upperBound(of: index), longest)) }
    }
    return .zero
  }

  /// The time that an event waits at most before the loop asks for it, for so many of a hundred events that
  /// come at any moment. Complexity: O(1), a walk over 1,024 buckets.
  ///
  /// The system doesn't say when an event came. So this is computed: an event that comes while the loop waits
  /// isn't kept waiting, and one that comes during a turn waits until the turn has ended. Long turns count
  /// for more here than in ``percentile(_:)``, because more events come in them. Once the loop has got an
  /// event, it handles the others of the same turn first, which takes no longer than that turn.
  ///
  /// - Parameter percent: 0…100, such as 99.9. Values outside count as the nearer end.
  /// - Returns: The time, or zero if there was no turn.
  public func waitPercentile(_ percent: Double) -> Duration {
    // The share of moments at which an event would have waited longer is the time that turns have beyond
    // that.
    let allowed = Double(Swift.max(elapsed, sum)) * (1 - Swift.min(Swift.max(percent, 0), 100) / 100)
    var (count, length) = (0.0, 0.0)
    for (index, number) in buckets.enumerated().reversed() where number > 0 {
      let typical = Double(Swift.min(middle(of: index), longest))
      // The time that the longer turns have beyond the length of these.
      if length - count * typical >= allowed, count > 0 { break }
      count += Double(number)
      length += Double(number) * typical
    }
    if count == 0 || length <= allowed { return .zero }
    return .nanoseconds(UInt64(Swift.min((length - allowed) / count, Double(longest))))
  }

  /// How long an event that comes at any moment waits on average before the loop asks for it; see
  /// ``waitPercentile(_:)``. Complexity: O(1), a walk over 1,024 buckets.
  public var waitMean: Duration { .nanoseconds(UInt64(waits.mean)) }

  /// The standard deviation of these waits. Complexity: O(1), a walk over 1,024 buckets.
  public var waitStandardDeviation: Duration {
    let (mean, meanSquare) = waits
    return .nanoseconds(UInt64(Swift.max(meanSquare - mean * mean, 0).squareRoot()))
  }

  /// The share of the time in which turns ran, 0…1; 0 if nothing was measured.
  public var utilization: Double {
    let all = Swift.max(elapsed, sum)
    return all == 0 ? 0 : Double(sum) / Double(all)
  }

  /// The means of the waits in nanoseconds, and of their squares. Events come evenly over a turn's length, so
  /// that they wait half of it on average, and the mean of the squares is a third of its square.
  private var waits: (mean: Double, meanSquare: Double) {
    let all = Double(Swift.max(elapsed, sum))
    if all == 0 { return (0, 0) }
    var (seconds, thirds) = (0.0, 0.0)
    for (index, number) in buckets.enumerated() where number > 0 {
      let length = Double(Swift.min(middle(of: index), longest))
      seconds += Double(number) * length * length / 2
      thirds += Double(number) * length * length * length / 3
    }
    return (seconds / all, thirds / all)
  }

  private func upperBound(of index: Int) -> UInt64 {
    index == LagMeter.bucketCount - 1 ? .max : LagMeter.lowerBound(of: index + 1) - 1
  }

  private func middle(of index: Int) -> UInt64 {
    let low = LagMeter.lowerBound(of: index)
    return index == LagMeter.bucketCount - 1 ? low : low + (LagMeter.lowerBound(of: index + 1) - low) / 2
  }

  /// Calls `body` with each length of turns that there were: its upper bound in nanoseconds, the shortest first,
  /// and how many turns took that long.
  package func forEachLength(_ body: (_ upperBound: UInt64, _ count: UInt64) -> Void) {
    for (index, count) in buckets.enumerated() where count > 0 { body(upperBound(of: index), count) }
  }

  // MARK: Several loops

  /// Adds what another loop has measured, or the same loop at another time.
  public static func += (sum: inout LoopLag, other: LoopLag) {
    if sum.buckets.isEmpty {
      sum.buckets = other.buckets
    } else {
      for index in other.buckets.indices { sum.buckets[index] += other.buckets[index] }
    }
    sum.turns += other.turns
    sum.sum += other.sum
    sum.longest = Swift.max(sum.longest, other.longest)
    sum.elapsed += other.elapsed
  }

  /// The measurements since an earlier value of the same loop. The longest turn is known to 3 %. If the loop
  /// has begun to measure anew meanwhile, that is all it has measured.
  package func since(_ earlier: LoopLag) -> LoopLag {
    if earlier.turns > turns || earlier.elapsed > elapsed || earlier.buckets.isEmpty { return self }
    var rest = self
    for index in buckets.indices { rest.buckets[index] &-= earlier.buckets[index] }
    rest.turns -= earlier.turns
    rest.sum &-= earlier.sum
    rest.elapsed -= earlier.elapsed
    if longest == earlier.longest {
      rest.longest = rest.buckets.lastIndex { $0 > 0 }.map { Swift.min(upperBound(of: $0), longest) } ?? 0
    }
    return rest
  }

  /// The measurements of two loops together.
  public static func + (a: LoopLag, b: LoopLag) -> LoopLag {
    var sum = a
    sum += b
    return sum
  }
}

extension LoopLag: CustomStringConvertible {
  /// The figures in one line, such as
  /// `10 turns, 0.2 % busy, p50 18 µs, p99 1.2 ms, max 217 ms, wait p99 94 µs`.
  public var description: String {
    let share = (utilization * 1000).rounded() / 10
    let turns = "p50 \(percentile(50).shortText), p99 \(percentile(99).shortText), max \(max.shortText)"
    return "\(count) turns, \(share) % busy, \(turns), wait p99 \(waitPercentile(99).shortText)"
  }
}
