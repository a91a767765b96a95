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
      let changes = ChangePoints.find(points.map(\.value), significance: significance, minimum: minimum)
      return HistorySeries(id: row.id, isRelative: isRelative, points: points, changes: changes)
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

  var changeCount: Int { series.reduce(0) { $0 + $1.changes.count } }

  /// The rows that are worse, by a share, than before the steps that came with a run of this date or a later one.
  func worse(since date: String, by minimum: Double) -> [WorkloadID] {
    series.filter { one in
      let steps = one.changes.filter { runs[one.runs(of: $0).after].date >= date }
      guard let first = steps.first, let last = steps.last else { return false }
      let net = last.after / first.before - 1
      return abs(net) > minimum && figure.isWorse(net)
    }.map(\.id)
  }

  var rows: [[String]] {
    let changes = series.flatMap { one in one.changes.map { (one, $0) } }.map { one, change in
      let (before, after) = one.runs(of: change)
      return [
        one.id.description, figure.text(change.before, isRelative: one.isRelative),
        figure.text(change.after, isRelative: one.isRelative),
        (change.change < 0 ? "" : "+") + Figure.fixed(change.change * 100, digits: 1) + " %",
        change.chance < 1e-4 ? "<0.0001" : Figure.fixed(change.chance, digits: 4),
        Self.name(runs[before]), Self.name(runs[after]),
      ]
    }
    return [["row", "before", "after", "change", "chance", "last run before", "first run after"]] + changes
  }

  var words: Set<Int> { [0, 5, 6] }

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

  /// The last run of the level before a change, and the first of the level after it.
  func runs(of change: ChangePoint) -> (before: Int, after: Int) {
    (points[change.index - 1].run, points[change.index].run)
  }
}
