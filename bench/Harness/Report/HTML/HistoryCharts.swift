extension History {
  /// A chart for each case, with a line for each style; `styles` gives colours their order.
  func charts(_ styles: [Style]) -> [String] {
    series.grouped { "\($0.id.workload)@\($0.id.revision) \($0.id.parameters)" }.map { rows in
      // Beside relative figures, those of the reference row itself have no place.
      let isRelative = rows.contains(where: \.isRelative)
      return chart(rows.filter { $0.isRelative == isRelative }, isRelative, styles)
    }
  }

  private func chart(_ rows: [HistorySeries], _ isRelative: Bool, _ styles: [Style]) -> String {
    let series = rows.map { row in
      Series(
        name: row.id.style.rawValue, place: SeriesLook.place(row.id.style, among: styles),
        points: row.points.map { (Double($0.run + 1), $0.value) })
    }
    let reference = isRelative ? rows[0].id.style.reference : nil
    let steps = rows.flatMap { row in row.events.flatMap(\.marks) }
    return LineChart(
      title: rows[0].id.workload,
      note: [rows[0].id.parameters.description, figure.title(relativeTo: reference) + " by run"]
        .filter { !$0.isEmpty }.joined(separator: " · "), series: series,
      xTicks: (1...runs.count).map { (Double($0), "\($0)") },
      yTicks: LineChart.linearTicks(series.flatMap(\.points).map(\.y)) {
        figure.text($0, isRelative: isRelative)
      },
      steps: Set(steps).sorted()
    ).svg
  }

  /// Which runs the numbers below the charts stand for.
  var list: String {
    let items = runs.enumerated().map { index, run in
      "<li>\(index + 1): \(XMLText.escaped(Self.name(run)))</li>"
    }
    return "<details><summary>The \(runs.count) runs</summary><ul>\(items.joined())</ul></details>"
  }
}
