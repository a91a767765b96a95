/// How the rows of a workload go along the axes of a `Scaling`, and whether any grows faster than the row in
/// C.
struct ScaleTable: Tabular, Sendable {
  struct Line: Sendable {
    var axis: Scaling.Axis
    var style: Style
    /// A row for each value, from the smallest, with its ratios to c within each round.
    var points: [(value: Int, row: RowResult, ratios: [Double])]

    /// Whether the ratio to c grows: at the largest value it is above that at the smallest by more than 5 %,
    /// and the quartiles of the two lie apart.
    var grows: Bool {
      guard let first = points.first?.ratios, let last = points.last?.ratios, points.count > 1,
        !first.isEmpty, !last.isEmpty
      else { return false }
      let (small, large) = (Spread(first), Spread(last))
      return large.median > small.median * 1.05 && large.q1 > small.q3
    }
  }

  private let scaling: Scaling
  var lines: [Line]

  init(_ scaling: Scaling, _ results: Results) {
    self.scaling = scaling
    let rows = results.results.filter { $0.workload == scaling.workload.name }
    lines = scaling.axes.flatMap { axis in
      scaling.workload.styles.compactMap { style in
        let points = rows.filter { $0.style == style && axis.has($0) }
          .map {
            (
              value: $0.parameters[axis.parameter], row: $0,
              ratios: results.ratios(of: $0, \.cpuNanosecondsPerOperation)
            )
          }
          .sorted { $0.value < $1.value }
        return points.isEmpty ? nil : Line(axis: axis, style: style, points: points)
      }
    }
  }

  var rows: [[String]] {
    [["axis", "value", "style", "CPU/op", "CPU vs c", "quartiles", "p50", "p99", "peak RSS"]]
      + lines.flatMap { line in
        line.points.map { point in
          let spread = point.ratios.isEmpty ? nil : Spread(point.ratios)
          return [
            line.axis.parameter, Figure.whole(point.value), line.style.rawValue,
            RowFigure.cpu.text(point.row),
            spread.map { Figure.ratio($0.median) } ?? "",
            spread.map { Figure.fixed($0.q1, digits: 2) + " to " + Figure.fixed($0.q3, digits: 2) } ?? "",
          ] + [RowFigure.p50, .p99, .memory].map { $0.text(point.row) }
        }
      }
  }

  var words: Set<Int> { [0, 2, 5] }

  /// A line for each style: whether its ratio to c grows.
  var verdicts: [String] {
    scaling.workload.styles.filter { $0 != .c }.compactMap { style in
      let own = lines.filter { $0.style == style && $0.points.count > 1 }
      guard !own.isEmpty else { return nil }
      let parts = own.map { line in
        let ends = [line.points[0], line.points[line.points.count - 1]].map { point in
          point.ratios.isEmpty ? "–" : Figure.ratio(Statistics.median(point.ratios))
        }
        return "\(line.grows ? "grows" : "does not grow") with \(line.axis.parameter)"
          + " (\(ends[0]) to \(ends[1]))"
      }
      return "\(style): the ratio to c " + parts.joined(separator: ", ")
    }
  }

  /// The table, the ratios as charts, and the verdicts, for a page.
  func section(notes: [String] = []) -> HTMLReport.Section {
    var section = HTMLReport.Section(
      id: "growth", title: "The ratio to C as load grows", table: rows, notes: verdicts + notes)
    let charts = scaling.axes.map(chart).filter { !$0.isEmpty }
    section.html = "<div class=\"charts\">\(charts.joined(separator: "\n"))</div>" + section.html
    return section
  }

  private func chart(_ axis: Scaling.Axis) -> String {
    let own = lines.filter { $0.axis.parameter == axis.parameter && $0.points.count > 1 }
    let series = own.compactMap { line -> Series? in
      let points = line.points.filter { !$0.ratios.isEmpty }
        .map { (x: Double($0.value), y: Statistics.median($0.ratios)) }
      guard !points.isEmpty else { return nil }
      let place = SeriesLook.place(line.style, among: scaling.workload.styles)
      return Series(name: line.style.rawValue, place: place, points: points)
    }
    guard let first = own.first else { return "" }
    return LineChart(
      title: "by \(axis.parameter)", note: "processor time per operation, ratio to c", series: series,
      xTicks: first.points.map { (Double($0.value), Figure.whole($0.value)) },
      yTicks: LineChart.linearTicks(series.flatMap(\.points).map(\.y)) { Figure.ratio($0) },
      xScale: { SeriesLook.logarithm($0) }
    ).svg
  }
}
