/// What a run shall measure, and how thoroughly.
public struct SuitePlan: Sendable {
  /// A workload with one set of parameters, in several styles.
  public struct Case: Sendable {
    public var workload: any Workload
    public var parameters: ParameterValues
    /// The rows, the reference first.
    public var styles: [Style]

    public init(workload: any Workload, parameters: ParameterValues, styles: [Style]) {
      self.workload = workload
      self.parameters = parameters
      self.styles = styles
    }

    public func id(_ style: Style) -> WorkloadID {
      WorkloadID(
        workload: workload.name, revision: workload.revision, style: style, parameters: parameters)
    }
  }

  public var cases: [Case]
  public var rounds: Int
  /// How long a round of the reference row shall last, in nanoseconds.
  public var window: Double
  /// How long a row may take to settle, in nanoseconds.
  public var warmUp: Double
  /// How long the whole may take, in nanoseconds; nil for as long as it does.
  public var budget: Double?
  /// Whether counters are read, in a pass of their own.
  public var counts: Bool
  /// When operations begin.
  public var load: Load

  /// When operations begin.
  public enum Load: Hashable, Sendable {
    /// Each begins as another ends: capacity, and the time that the service takes.
    case closed
    /// At a rate, in operations per second, the same for all rows.
    case rate(Arrivals)
    /// At a share of what the first row can do in a closed loop.
    case shareOfPeak(Double, isPoisson: Bool)
    /// The highest rate that each row keeps up with.
    case findPeak
  }

  public init(
    cases: [Case], rounds: Int, window: Double, warmUp: Double, budget: Double? = nil,
    counts: Bool = true, load: Load = .closed
  ) {
    self.cases = cases
    self.rounds = rounds
    self.window = window
    self.warmUp = warmUp
    self.budget = budget
    self.counts = counts
    self.load = load
  }

  /// Takes so many nanoseconds from the budget, which were needed for something else.
  public mutating func spend(_ nanoseconds: Double) {
    budget = budget.map { max(0, $0 - nanoseconds) }
  }

  /// The cases of `workloads` whose name fits one of `patterns` (none: all), in those
  /// of `styles` (none: all) that they have. A parameter in `overrides` replaces the
  /// usual values in the workloads that have it; it is an error when the parameter cannot have
  /// such a value.
  public static func cases(
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
