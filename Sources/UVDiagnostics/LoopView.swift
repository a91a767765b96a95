#if HTTP || Everything
import StallWatch
import UV
import UVStalls

/// A loop as a page shows it.
struct LoopView {
  /// The loop's executor.
  let id: ObjectIdentifier
  /// No other loop of the page has this name.
  let name: String
  /// For how long it hasn't answered; nil if it has.
  let silence: Duration?
  /// Nil if it hasn't answered.
  let answer: LoopAnswer?
  let stalls: [StallView]
  let areStallsWatched: Bool

  var json: JSON {
    .object([
      ("name", .text(name)), ("answers", .flag(silence == nil)),
      ("silentFor", silence.map { .number($0 / .seconds(1)) }),
      ("stallsWatched", .flag(areStallsWatched)), ("stalls", .list(stalls.map(\.json))),
      ("figures", answer.map { Self.figures($0.reading) }),
      ("lag", answer.flatMap { Self.lag($0.reading.lag) }),
      ("tasks", answer.map { .list($0.census.tasks.map(Self.tasks)) }),
      ("connections", answer.map { Self.connections($0.census) }),
      ("snapshot", answer.map { .raw($0.snapshot.json) }),
    ])
  }

  /// Counts and levels, by the names of metrics. Two answers give the figures of the period between.
  private static func figures(_ reading: LoopReading) -> JSON {
    .object(
      LoopFigure.all.map { figure in
        let name = figure.name + (figure.dimension.map { ".\($0.value)" } ?? "")
        return (name, figure.value(of: reading).map { .number($0) })
      })
  }

  /// The lengths of turns since the loop measures them, in quarters of powers of two: the upper bound of each in
  /// seconds, and how many turns.
  private static func lag(_ lag: LoopLag) -> JSON? {
    guard lag.elapsedTime > .zero else { return nil }
    var lengths: [(bound: Double, count: UInt64)] = []
    lag.forEachLength { bound, count in
      // Those of the last bucket have no bound.
      let nanoseconds = min(bound, 1 << 62)
      let shift = max(61 - nanoseconds.leadingZeroBitCount, 0)
      let bound = Double((nanoseconds >> shift + 1) << shift) / 1e9
      if lengths.last?.bound == bound {
        lengths[lengths.count - 1].count += count
      } else {
        lengths.append((bound, count))
      }
    }
    return .object([
      ("turns", .number(Double(lag.count))), ("elapsed", .number(lag.elapsedTime / .seconds(1))),
      ("busy", .number(lag.busyTime / .seconds(1))), ("longest", .number(lag.max / .seconds(1))),
      ("lengths", .list(lengths.map { .list([.number($0.bound), .number(Double($0.count))]) })),
    ])
  }

  private static func tasks(_ tasks: LoopCensus.Tasks) -> JSON {
    .object([
      ("place", .text(tasks.place)), ("count", .number(Double(tasks.count))),
      ("waiting", .number(Double(tasks.waiting))), ("oldest", .number(tasks.oldest / .seconds(1))),
    ])
  }

  private static func connections(_ census: LoopCensus) -> JSON {
    func states(_ counts: [LoopCensus.ConnectionState: Int]) -> JSON {
      .object(
        LoopCensus.ConnectionState.allCases.map { ($0.rawValue, .number(Double(counts[$0] ?? 0))) })
    }
    return .object([
      ("listeners", .number(Double(census.listeners))), ("accepted", states(census.accepted)),
      ("opened", states(census.opened)),
    ])
  }
}

/// A stall as a page shows it.
struct StallView {
  let stall: Stall
  let stack: StackTexts.Entry
  let age: Duration
  /// How long it has lasted if it goes on.
  let duration: Duration?

  var json: JSON {
    .object([
      ("function", stack.function.map { .text($0) }), ("spawned", stall.spawnedAt.map { .text($0) }),
      ("ago", .number(age / .seconds(1))), ("goesOn", .flag(duration != nil)),
      ("duration", .number((duration ?? stall.duration) / .seconds(1))),
      ("stack", .list(stack.frames.map { .text($0) })),
    ])
  }
}
#endif
