#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Two runs beside each other, row by row. It informs and does not gate: the machine of
/// a stored run is not the machine of today.
public struct Comparison: Sendable {
  /// What is said of a row.
  public enum Verdict: String, Sendable {
    /// Less time.
    case improved
    /// More time.
    case regressed
    /// The interval lies within 3 %.
    case noChange = "no change"
    /// The rounds are too few or too far apart.
    case cannotTell = "cannot tell"
  }

  /// A row in both runs.
  public struct Row: Sendable {
    /// The full name.
    public var id: WorkloadID
    /// Processor time per operation, before and after.
    public var before, after: Double
    /// The change of processor time, and its interval of 95 %.
    public var change: Double
    /// Nil with too few rounds.
    public var interval: ClosedRange<Double>?
    /// The change of operations per second.
    public var throughput: Double
    /// What is said of it.
    public var verdict: Verdict
    /// Whether the change is that of the ratio to c, which the machine's mood leaves alone.
    public var isRelativeToC: Bool
  }

  /// The rows that both have.
  public var rows: [Row]
  /// Rows that only one has, in words.
  public var unmatched: [String]
  /// What makes the two hard to compare; said in every line.
  public var caveats: [String]

  /// Compares. Throws when the machines or the work differ, unless `force` is set.
  public init(_ before: Results, _ after: Results, force: Bool = false) throws {
    caveats = Self.caveats(before, after)
    if let first = caveats.first, !force {
      throw NotComparable("\(first); compare nevertheless with --force")
    }
    let known = Dictionary(before.results.map { ($0.id, $0) }) { first, _ in first }
    rows = after.results.compactMap { row in
      known[row.id].map { Self.row(row.id, $0, before, row, after) }
    }
    let found = Set(rows.map(\.id))
    unmatched = known.keys.filter { !found.contains($0) }.map { "\($0): only in the first" }.sorted()
    unmatched += after.results.filter { known[$0.id] == nil }.map { "\($0.id): only in the second" }
    guard !rows.isEmpty else {
      throw NotComparable("the two runs have no row in common")
    }
  }

  private static func caveats(_ before: Results, _ after: Results) -> [String] {
    var caveats: [String] = []
    if before.fingerprint != after.fingerprint { caveats.append("different machines or versions") }
    if before.method.build != after.method.build { caveats.append("different builds") }
    if before.method.threadPool != after.method.threadPool {
      caveats.append("different numbers of pool threads")
    }
    if before.method.pinnedApart != after.method.pinnedApart { caveats.append("pinned differently") }
    let (old, new) = (Set(before.results.map(\.arrivals)), Set(after.results.map(\.arrivals)))
    if old != new { caveats.append("different rates") }
    return caveats
  }

  private static func row(
    _ id: WorkloadID, _ before: RowResult, _ first: Results, _ after: RowResult, _ second: Results
  ) -> Row {
    let old = first.logarithms(before)
    let new = second.logarithms(after)
    let isRelative = old.isRelative && new.isRelative && id.style != .c
    let test =
      isRelative
      ? RankSum(old.relative, new.relative) : RankSum(old.absolute, new.absolute)
    let shift = test.estimate ?? 0
    let interval = test.interval(confidence: 0.95)
    return Row(
      id: id, before: before.median.cpuNanosecondsPerOperation,
      after: after.median.cpuNanosecondsPerOperation, change: expm1(shift),
      interval: interval.map { expm1($0.lowerBound)...expm1($0.upperBound) },
      throughput: after.median.throughput / max(before.median.throughput, 1e-9) - 1,
      verdict: verdict(shift, interval), isRelativeToC: isRelative)
  }

  private static func verdict(_ shift: Double, _ interval: ClosedRange<Double>?) -> Verdict {
    let rule = GateRule()
    let (bound, effect) = (log1p(rule.bound), log1p(rule.minimumEffect))
    guard let interval else { return .cannotTell }
    if interval.lowerBound > bound, shift > effect { return .regressed }
    if interval.upperBound < -bound, shift < -effect { return .improved }
    let isSame = interval.contains(0) && interval.lowerBound > -effect && interval.upperBound < effect
    return isSame ? .noChange : .cannotTell
  }

  /// The table, for a terminal.
  public var lines: [String] {
    var table = TextTable([
      ("row", .left), ("before", .right), ("after", .right), ("CPU/op", .right), ("95 %", .left),
      ("ops/s", .right), ("verdict", .left), ("", .left),
    ])
    for row in rows {
      let interval = row.interval.map {
        "\(GateText.percent($0.lowerBound)) to \(GateText.percent($0.upperBound))"
      }
      let notes = (row.isRelativeToC ? ["relative to c"] : []) + caveats
      table.add([
        row.id.description, Figure.duration(row.before), Figure.duration(row.after),
        GateText.percent(row.change), interval ?? "too few rounds", GateText.percent(row.throughput),
        row.verdict.rawValue, notes.joined(separator: ", "),
      ])
    }
    return table.render() + unmatched
  }
}

extension RowResult {
  /// The full name of the row.
  public var id: WorkloadID {
    WorkloadID(workload: workload, revision: revision, style: style, parameters: parameters)
  }
}

extension Results {
  /// Two runs of the same fingerprint may be compared in time.
  public var fingerprint: String { machine.fingerprint(swift: swift, libuv: libuv) }

  /// The c row of the same case.
  public func reference(of row: RowResult) -> RowResult? {
    results.first {
      $0.style == .c && $0.workload == row.workload && $0.parameters == row.parameters
    }
  }

  /// Logarithms of the processor time of each round, as it is and relative to c.
  fileprivate func logarithms(
    _ row: RowResult
  ) -> (absolute: [Double], relative: [Double], isRelative: Bool) {
    let own = row.rounds.map { log(max($0.cpuNanosecondsPerOperation, 1e-9)) }
    guard let reference = reference(of: row), reference.rounds.count == own.count else {
      return (own, [], false)
    }
    let base = reference.rounds.map { log(max($0.cpuNanosecondsPerOperation, 1e-9)) }
    return (own, zip(own, base).map { $0 - $1 }, true)
  }
}
