/// Two runs beside each other, row by row. It informs and does not gate: the machine of
/// a stored run is not the machine of today.
struct Comparison: Sendable {
  enum Verdict: String, Sendable {
    case improved, regressed
    /// The interval lies within 3 %.
    case noChange = "no change"
    /// The rounds are too few or too far apart.
    case cannotTell = "cannot tell"
  }

  struct Row: Sendable {
    var id: WorkloadID
    /// Processor time per operation, before and after.
    var before, after: Double
    /// The change of processor time, and its interval of 95 %.
    var change: Double
    var interval: ClosedRange<Double>?
    var throughput: Double
    var verdict: Verdict
    /// The ratio of processor time to c, before and after, where the change is that of the ratio,
    /// which the machine's mood leaves alone.
    var ratios: (before: Double, after: Double)?
    var rounds: (before: Int, after: Int)
  }

  var rows: [Row]
  /// Rows that only one has, in words.
  var unmatched: [String]
  /// What makes the two hard to compare, said in every line; with what differs, and its values before and
  /// after.
  var differences: [Difference]

  struct Difference: Hashable, Sendable, CustomStringConvertible {
    var what: String
    var values: [String]

    var description: String { "\(what): \(values.joined(separator: ", "))" }
  }

  /// Compares. Throws when the machines or the work differ, unless `force` is set.
  init(_ before: Results, _ after: Results, force: Bool = false) throws {
    differences = Self.differences(before, after)
    guard differences.isEmpty || force else {
      let all = differences.map(\.description).joined(separator: "; ")
      throw NotComparable("\(all). Compare nevertheless with --force")
    }
    let known = Dictionary(before.results.map { ($0.id, $0) }) { first, _ in first }
    rows = after.results.compactMap { row in known[row.id].map { Self.row(row.id, $0, before, row, after) } }
    let found = Set(rows.map(\.id))
    unmatched = known.keys.filter { !found.contains($0) }.map { "\($0): only in the first" }.sorted()
    unmatched += after.results.filter { known[$0.id] == nil }.map { "\($0.id): only in the second" }
    guard !rows.isEmpty else { throw NotComparable("the two runs have no row in common") }
  }

  private static func differences(_ before: Results, _ after: Results) -> [Difference] {
    func differ(_ what: String, _ fields: (name: String, old: String, new: String)...) -> Difference? {
      let values = fields.filter { $0.old != $0.new }.map {
        "\($0.name) \($0.old.isEmpty ? "none" : $0.old) and \($0.new.isEmpty ? "none" : $0.new)"
      }
      return values.isEmpty ? nil : Difference(what: what, values: values)
    }
    func rates(_ results: Results) -> String {
      let rates = Set(
        results.results.map { row in row.arrivals.map { Figure.count($0.rate) + "/s" } ?? "closed" })
      return rates.sorted().joined(separator: " and ")
    }
    let (old, new) = (before.machine, after.machine)
    let (first, second) = (before.method, after.method)
    return [
      differ(
        "different machines or versions",
        ("processor", old.cpu, new.cpu), ("cores", "\(old.cores)", "\(new.cores)"),
        ("architecture", old.architecture, new.architecture), ("kernel", old.kernel, new.kernel),
        ("Swift", before.swift, after.swift), ("libuv", before.libuv, after.libuv)),
      differ("different builds", ("build", first.build, second.build)),
      differ(
        "different numbers of pool threads", ("threads", "\(first.threadPool)", "\(second.threadPool)")),
      differ("pinned differently", ("server and load generator", first.placement, second.placement)),
      differ("different rates", ("arrivals", rates(before), rates(after))),
    ].compactMap { $0 }
  }

  private static func row(
    _ id: WorkloadID, _ before: RowResult, _ first: Results, _ after: RowResult, _ second: Results
  ) -> Row {
    let (old, new) = (first.logarithms(before), second.logarithms(after))
    let isRelative = old.isRelative && new.isRelative && id.style != .c
    let test = isRelative ? RankSum(old.relative, new.relative) : RankSum(old.absolute, new.absolute)
    let shift = test.estimate ?? 0
    let interval = test.interval(confidence: 0.95)
    return Row(
      id: id, before: before.median.cpuNanosecondsPerOperation,
      after: after.median.cpuNanosecondsPerOperation, change: expm1(shift),
      interval: interval.map { expm1($0.lowerBound)...expm1($0.upperBound) },
      throughput: after.median.throughput / max(before.median.throughput, 1e-9) - 1,
      verdict: verdict(shift, interval),
      ratios: isRelative
        ? (exp(Statistics.median(old.relative)), exp(Statistics.median(new.relative))) : nil,
      rounds: (old.absolute.count, new.absolute.count))
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

  /// The table, for a terminal, and what stands in the way. The change of a row is in the column
  /// of what was compared.
  var lines: [String] {
    let head = [
      "row", "before", "after", "CPU/op", "before vs c", "after vs c", "CPU vs c", "95 %", "ops/s", "verdict",
      "",
    ]
    let body = rows.map { row in
      let change = GateText.percent(row.change)
      let ratios = row.ratios
      return [
        row.id.description, Figure.duration(row.before), Figure.duration(row.after),
        ratios == nil ? change : "", ratios.map { Figure.ratio($0.before) } ?? "",
        ratios.map { Figure.ratio($0.after) } ?? "", ratios == nil ? "" : change,
        Self.interval(row), GateText.percent(row.throughput), row.verdict.rawValue,
        differences.map(\.what).joined(separator: ", "),
      ]
    }
    return TextTable([head] + body, words: [0, 7, 9, 10]).text + unmatched + differences.map(\.description)
  }

  private static func interval(_ row: Row) -> String {
    row.interval.map { "\(GateText.percent($0.lowerBound)) to \(GateText.percent($0.upperBound))" }
      ?? "too few rounds (\(row.rounds.before) and \(row.rounds.after); 4 each are needed)"
  }
}

extension RowResult {
  var id: WorkloadID {
    WorkloadID(workload: workload, revision: revision, style: style, parameters: parameters)
  }

  /// The workload, and the parameters of the case.
  var caseName: String { workload + (parameters.names.isEmpty ? "" : " \(parameters)") }

  func isReference(of row: RowResult) -> Bool {
    style == .c && workload == row.workload && parameters == row.parameters
  }
}

extension Results {
  /// Two runs of the same fingerprint may be compared in time.
  var fingerprint: String { machine.fingerprint(swift: swift, libuv: libuv) }

  func reference(of row: RowResult) -> RowResult? { results.first { $0.isReference(of: row) } }

  /// Logarithms of the processor time of each round, as it is and relative to c.
  fileprivate func logarithms(
    _ row: RowResult
  ) -> (absolute: [Double], relative: [Double], isRelative: Bool) {
    let relative = ratios(of: row, \.cpuNanosecondsPerOperation)
    func logarithms(_ values: [Double]) -> [Double] { values.map { log(max($0, 1e-9)) } }
    return (
      logarithms(row.rounds.map(\.cpuNanosecondsPerOperation)), logarithms(relative), !relative.isEmpty
    )
  }
}
