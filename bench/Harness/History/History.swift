/// The runs of one machine, Swift and libuv, the oldest first. Only their figures are comparable.
struct History: Tabular, Sendable {
  let runs: [Results]
  let figure: HistoryFigure
  /// A series for each row that at least two runs have, in the order of the newest run.
  let series: [HistorySeries]

  private init(_ runs: [Results], _ figure: HistoryFigure, significance: Double, minimum: Double) {
    (self.runs, self.figure) = (runs, figure)
    var newest: [any FollowedRow] = []
    var known: Set<WorkloadID> = []
    for row in runs.reversed().flatMap(\.followed) where known.insert(row.id).inserted { newest.append(row) }
    let rows = runs.map { run in Dictionary(run.followed.map { ($0.id, $0) }) { first, _ in first } }
    series = newest.compactMap { row in
      let isRelative = row.isRelative(figure)
      let points = rows.enumerated().compactMap { index, rows -> (run: Int, value: Double)? in
        rows[row.id].flatMap { $0.value(figure, isRelative: isRelative) }.map { (index, $0) }
      }
      guard points.count > 1 else { return nil }
      let values = points.map(\.value)
      let steps = ChangePoints.find(values, significance: significance, minimum: minimum)
      let found = Drifts(values, steps: steps, significance: significance, minimum: minimum)
      return HistorySeries(
        id: row.id, isRelative: isRelative, points: points, changes: found.steps, drifts: found.drifts)
    }
  }

  /// The histories that some runs make up, that with the newest run first. Runs of different machines, Swift
  /// or libuv never join, since a new level there says nothing of the commits.
  static func all(
    _ runs: [Results], _ figure: HistoryFigure = .cpu, significance: Double = 0.001, minimum: Double = 0.03
  ) -> [History] {
    Dictionary(grouping: runs, by: \.fingerprint).values
      .map { runs in
        // Runs of the same second stay in their order.
        let sorted = runs.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }
        return History(sorted.map(\.element), figure, significance: significance, minimum: minimum)
      }
      .sorted { $0.newest.date > $1.newest.date }
  }

  var newest: Results { runs[runs.count - 1] }

  var changeCount: Int { series.reduce(0) { $0 + $1.changes.count + $1.drifts.count } }

  /// The rows that are worse, by a share, than before what came with a run of this date or a later one: steps, and drifts
  /// that have gone on until then.
  func worse(since date: String, by minimum: Double) -> [WorkloadID] {
    series.filter { one in
      let recent = one.events.filter { runs[$0.to].date >= date }
      guard let first = recent.first, let last = recent.last else { return false }
      let net = last.after / first.before - 1
      return abs(net) > minimum && figure.isWorse(net)
    }.map(\.id)
  }

  var rows: [[String]] {
    let changes = series.flatMap { one in one.events.map { (one, $0) } }.map { one, event in
      cells(one, event.before, event.after, event.chance)
        + [event.isDrift ? "drift" : "step", Self.name(runs[event.from]), Self.name(runs[event.to])]
    }
    return [["row", "before", "after", "change", "chance", "how", "from", "to"]] + changes
  }

  var words: Set<Int> { [0, 5, 6, 7] }

  private func cells(
    _ one: HistorySeries, _ before: Double, _ after: Double, _ chance: Double?
  ) -> [String] {
    let change = before == 0 ? 0 : after / before - 1
    return [
      one.id.description, figure.text(before, isRelative: one.isRelative),
      figure.text(after, isRelative: one.isRelative),
      (change < 0 ? "" : "+") + Figure.fixed(change * 100, digits: 1) + " %",
      chance.map { $0 < 1e-4 ? "<0.0001" : Figure.fixed($0, digits: 4) } ?? "too few runs",
    ]
  }

  /// The index of the last run of a commit, which may be abbreviated; nil if there is none.
  func run(of commit: String) -> Int? { runs.lastIndex { $0.method.commit.hasPrefix(commit) } }

  /// What has become of each row since a run.
  func sums(since run: Int) -> [(series: HistorySeries, sum: SinceRun)] {
    series.compactMap { one in
      guard let index = one.points.lastIndex(where: { $0.run <= run }) else { return nil }
      return SinceRun(one.points.map(\.value), since: index).map { (one, $0) }
    }
  }

  /// The sums as a table.
  func table(ofSumsSince run: Int) -> TextTable {
    let body = sums(since: run).map { one, sum in cells(one, sum.before, sum.after, sum.chance) }
    return TextTable([["row", "then", "now", "change", "chance"]] + body, words: [0])
  }

  /// The rows that have become worse since a run by more than a share, and not by chance.
  func worse(sinceRun run: Int, by minimum: Double, significance: Double) -> [WorkloadID] {
    sums(since: run).filter { _, sum in
      guard let chance = sum.chance else { return false }
      return abs(sum.change) > minimum && figure.isWorse(sum.change) && chance < significance
    }.map(\.series.id)
  }

  /// What a run is known by: its commit and its time.
  static func name(_ run: Results) -> String {
    let commit = run.method.commit.isEmpty ? "unknown commit" : run.method.commit
    return commit + ", " + run.date
  }
}

/// A row's figure over the runs.
struct HistorySeries: Sendable {
  let id: WorkloadID
  /// Whether the figures are relative to those of the reference row.
  let isRelative: Bool
  /// The figures by the index of their run, the oldest first; runs without the row have none.
  let points: [(run: Int, value: Double)]
  /// Where the level changed, by the index of a point.
  let changes: [ChangePoint]
  /// Where it moved slowly.
  let drifts: [Drift]

  /// A step or a drift, by the indices of the runs at which it begins and ends.
  struct Event: Sendable {
    let from, to: Int
    let before, after, chance: Double
    let isDrift: Bool

    /// Where it is marked in a chart whose runs are numbered from 1: between two runs, or where a drift begins and ends.
    var marks: [Double] {
      let (first, last) = (Double(from + 1), Double(to + 1))
      return isDrift ? [first, last] : [(first + last) / 2]
    }
  }

  /// What happened, in the order of time.
  var events: [Event] {
    let steps = changes.map { change in
      let (before, after) = runs(of: change)
      return Event(
        from: before, to: after, before: change.before, after: change.after, chance: change.chance,
        isDrift: false)
    }
    let slow = drifts.map { drift in
      Event(
        from: points[drift.first].run, to: points[drift.last].run, before: drift.before, after: drift.after,
        chance: drift.chance, isDrift: true)
    }
    return (steps + slow).sorted { $0.to < $1.to }
  }

  /// The last run of the level before a change, and the first of the level after it.
  func runs(of change: ChangePoint) -> (before: Int, after: Int) {
    (points[change.index - 1].run, points[change.index].run)
  }
}
