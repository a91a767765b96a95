/// What a run shall measure, and how thoroughly.
struct SuitePlan: Sendable {
  /// A workload with one set of parameters, in several styles.
  struct Case: Sendable {
    var workload: any Workload
    var parameters: ParameterValues
    var styles: [Style]

    func id(_ style: Style) -> WorkloadID {
      WorkloadID(workload: workload.name, revision: workload.revision, style: style, parameters: parameters)
    }
  }

  /// How many rounds there are unless somebody says otherwise.
  static let usualRounds = 7

  var cases: [Case]
  /// A case that takes three times as long as that should ends after the usual number.
  var rounds: Int
  /// How many processes each row has, one after another, its rounds shared out among them. Where a process may be in one
  /// of several states as long as it lives, such as where the system has put its threads, more rounds find out
  /// nothing about the others.
  var processes = 1
  /// How long a round of the reference row shall last, in nanoseconds.
  var window: Double
  /// How long a row may take to settle, in nanoseconds.
  var warmUp: Double
  /// How long the whole may take, in nanoseconds; nil for as long as it does.
  var budget: Double?
  /// Whether counters are read, in a pass of their own.
  var counts = true
  var load = Load.closed

  enum Load: Hashable, Sendable {
    /// Each begins as another ends: capacity, and the time that the service takes.
    case closed
    /// At a rate, in operations per second, the same for all rows.
    case rate(Arrivals)
    /// At a share of what the first row can do in a closed loop.
    case shareOfPeak(Double, isPoisson: Bool)
    /// The highest rate that each row keeps up with.
    case findPeak
  }

  /// Takes so many nanoseconds from the budget, which were needed for something else.
  mutating func spend(_ nanoseconds: Double) { budget = budget.map { max(0, $0 - nanoseconds) } }

  /// The shortest window that is of use, and the shortest time to settle, in nanoseconds.
  static let (leastWindow, leastWarmUp) = (3e7, 6e7)

  /// The plan as the budget has room for it: windows and the time to settle get shorter, in proportion, but no shorter than what is of use; then
  /// there are fewer rounds, but as many as a ratio needs. What doesn't fit even so is left out while measuring.
  var fitted: SuitePlan {
    guard let budget else { return self }
    var plan = self
    let share = budget / plan.duration
    guard share < 1 else { return plan }
    plan.window = max(window * share, min(window, Self.leastWindow))
    plan.warmUp = max(warmUp * share, min(warmUp, Self.leastWarmUp))
    guard plan.duration > budget else { return plan }
    let others = Double(rowCount) * (3 * plan.window + Double(processes) * plan.warmUp)
    let affordable = Int((budget - others) / (Double(rowCount) * plan.window))
    plan.rounds = min(rounds, max(affordable, RowResult.leastRounds, processes))
    return plan
  }

  private var rowCount: Int { cases.reduce(0) { $0 + $1.styles.count } }

  /// About how long it takes, in nanoseconds: a row is calibrated, which takes as long as some three rounds, warms up in each process, and
  /// runs its rounds.
  private var duration: Double { Double(rowCount) * durationOfRow(rounds: rounds) }

  private func durationOfRow(rounds: Int) -> Double {
    Double(rounds + 3) * window + Double(processes) * warmUp
  }

  /// The rows of a case for which so many nanoseconds are enough: its own styles, and as many others as there is time for.
  func affordableStyles(_ item: Case, within time: Double) -> [Style] {
    let most = Int(time / durationOfRow(rounds: min(rounds, RowResult.leastRounds)))
    let own = item.styles.filter(Style.all.contains)
    let others = item.styles.filter { !Style.all.contains($0) }
    return own + others.prefix(max(0, most - own.count))
  }

  /// Whether the processes of a row are to be started anew before a round.
  func startsAnew(before round: Int) -> Bool {
    round > 0 && round * processes / rounds != (round - 1) * processes / rounds
  }

  /// What a run will do, and about how long that takes.
  var summary: String {
    let (rows, seconds) = (rowCount, duration / 1e9)
    func text(_ seconds: Double) -> String {
      seconds < 90 ? Figure.number(Int(seconds), "second") : "\(Int((seconds / 60).rounded(.up))) minutes"
    }
    return "\(Figure.number(cases.count, "case")), \(Figure.number(rows, "row")), "
      + "\(Figure.number(rounds, "round")) of \(Figure.duration(window)) each"
      + (processes == 1 ? "" : " in \(processes) processes") + ": about "
      + text(min(seconds, (budget ?? .infinity) / 1e9))
      + (budget.map { ", and rounds get fewer and shorter beyond \(text($0 / 1e9))" } ?? "")
  }

  /// The cases of `workloads` whose name fits one of `patterns` (none: all), in those of `styles` (none: all)
  /// that they have. A parameter in `overrides` replaces the usual values in the workloads that have it; it
  /// is an error when the parameter cannot have such a value.
  static func cases(
    _ workloads: [any Workload], patterns: [String] = [], styles: [Style] = [],
    overrides: [String: [Int]] = [:], quick: Bool
  ) throws -> [Case] {
    let chosen = workloads.filter { Glob.isChosen($0.name, by: patterns) }
    for pattern in patterns where !workloads.contains(where: { Glob(pattern).matches($0.name) }) {
      let names = workloads.map(\.name).joined(separator: ", ")
      throw UsageError("no workload fits `\(pattern)`; there are \(names)")
    }
    for name in overrides.keys.sorted()
    where !chosen.contains(where: { $0.parameters.contains { $0.name == name } }) {
      throw UsageError("none of the chosen workloads depends on --\(name)")
    }
    let known = Set(workloads.flatMap(\.styles))
    for style in styles where !known.contains(style) {
      let names = Style.all.filter(known.contains).map(\.rawValue).joined(separator: ", ")
      throw UsageError("no workload is written in the style `\(style)`; there are \(names)")
    }
    let cases = chosen.flatMap { workload in
      ParameterValues.matrix(workload.parameters, quick: quick, overrides: overrides).map {
        Case(
          workload: workload, parameters: $0,
          styles: workload.styles.filter { styles.isEmpty || styles.contains($0) })
      }
    }.filter { !$0.styles.isEmpty }
    guard !cases.isEmpty else { throw UsageError("nothing to measure: no such row") }
    for item in cases { try item.workload.check(item.parameters) }
    return cases
  }
}
