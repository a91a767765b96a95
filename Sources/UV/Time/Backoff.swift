/// How long to wait before an attempt at what has failed.
public struct Backoff: Sendable {
  private let pause: @Sendable (Int) -> Duration

  /// Creates a rule of your own.
  ///
  /// - Parameter pause: How long to wait after so many failures, from 1 on.
  public init(_ pause: @escaping @Sendable (Int) -> Duration) { self.pause = pause }

  /// No wait but for the next turn of the loop.
  public static let none = Backoff { _ in .zero }

  /// Always the same wait.
  public static func constant(_ duration: Duration) -> Backoff { Backoff { _ in duration } }

  /// A wait that grows by a factor from one failure to the next, up to a limit.
  ///
  /// - Parameters:
  ///   - first: The wait after the first failure.
  ///   - factor: What each wait is multiplied by for the next, 1 or more.
  ///   - limit: The longest wait.
  public static func exponential(
    from first: Duration, by factor: Double = 2, upTo limit: Duration = .seconds(60)
  ) -> Backoff {
    Backoff { failures in
      var pause = first
      let factor = factor > 0 ? factor : 0
      for _ in 1..<max(failures, 1) {
        // Asked of the quotient, since no product may be larger than a duration can be.
        guard factor < limit / pause else { return limit }
        pause = pause * factor
      }
      return min(pause, limit)
    }
  }

  /// The same waits, each shortened by a random part of up to `fraction`, so that many that failed together
  /// do not come back together.
  ///
  /// - Parameter fraction: 0…1; what is outside is taken for the nearer of the two.
  public func jittered(_ fraction: Double = 0.5) -> Backoff {
    Backoff { [pause] failures in
      pause(failures) * (1 - Double.random(in: 0...1) * (fraction.isNaN ? 0 : min(max(fraction, 0), 1)))
    }
  }

  /// How long to wait after so many failures.
  public func duration(afterFailures failures: Int) -> Duration { pause(failures) }
}
