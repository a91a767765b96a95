/// A chart of lines. The caller says where a value lies on each axis.
struct LineChart {
  /// A value at which there is a line across the chart, and what stands beside it.
  typealias Tick = (at: Double, label: String)

  var title: String
  var note = ""
  var series: [Series]
  var xTicks: [Tick]
  var yTicks: [Tick]
  /// How x is laid out before it is scaled: a logarithm, say.
  var xScale: (Double) -> Double = { $0 }
  var yScale: (Double) -> Double = { $0 }
  /// Whether every point has a mark, or only the last.
  var marksPoints = true
  /// Places on the x axis at which a step was found.
  var steps: [Double] = []

  var svg: String {
    let (width, height, left, right, top, bottom) = (520.0, 290.0, 62.0, 14.0, 12.0, 34.0)
    let points = series.flatMap(\.points)
    guard !points.isEmpty else { return "" }
    let xs = (points.map(\.x) + xTicks.map(\.at)).map(xScale)
    let ys = (points.map(\.y) + yTicks.map(\.at)).map(yScale)
    func place(_ value: Double, _ all: [Double], _ from: Double, _ to: Double) -> Double {
      let (low, high) = (all.min() ?? 0, all.max() ?? 1)
      return high > low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2
    }
    func x(_ value: Double) -> Double { place(xScale(value), xs, left, width - right) }
    func y(_ value: Double) -> Double { place(yScale(value), ys, height - bottom, top) }
    var body = ""
    for tick in yTicks {
      body += SVG.line(left, y(tick.at), width - right, y(tick.at), "grid")
      body += SVG.text(tick.label, x: left - 6, y: y(tick.at) + 4, anchor: "end", faint: true)
    }
    var lastLabel = -1e9
    for tick in xTicks {
      body += SVG.line(x(tick.at), height - bottom, x(tick.at), height - bottom + 4, "axis")
      // Labels that would touch are left out.
      guard x(tick.at) - lastLabel > Double(tick.label.count) * 6.5 + 8 else { continue }
      lastLabel = x(tick.at)
      body += SVG.text(tick.label, x: x(tick.at), y: height - bottom + 18, anchor: "middle", faint: true)
    }
    body += SVG.line(left, height - bottom, width - right, height - bottom, "axis")
    for step in steps { body += SVG.line(x(step), top, x(step), height - bottom, "step") }
    for one in series { body += curve(one, x, y) }
    return SVG.figure(title, note, width: width, height: height, body)
  }

  private func curve(_ one: Series, _ x: (Double) -> Double, _ y: (Double) -> Double) -> String {
    let path = one.points.enumerated().map { index, point in
      (index == 0 ? "M" : "L") + "\(SVG.number(x(point.x))) \(SVG.number(y(point.y)))"
    }.joined()
    let look = "stroke:\(SeriesLook.colour(one.place));stroke-dasharray:\(SeriesLook.dash(one.place))"
    let marked = marksPoints ? one.points[...] : one.points.suffix(1)
    return "<path d=\"\(path)\" class=\"curve\" style=\"\(look)\"/>"
      + marked.map { SeriesLook.mark(one.place, x($0.x), y($0.y)) }.joined()
  }

  /// Round values between two bounds on a logarithmic axis: 1, 2 and 5 of each decade,
  /// or every decade when there are many.
  static func logarithmicTicks(_ values: [Double], label: (Double) -> String) -> [Tick] {
    guard let low = values.min(), let high = values.max(), low > 0 else { return [] }
    let decades = Int(floor(log10(low)))...Int(ceil(log10(high)))
    let steps = decades.count > 4 ? [1.0] : [1, 2, 5]
    let all = decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
    let above = all.filter { $0 >= high }.min() ?? high
    let below = all.filter { $0 <= low }.max() ?? low
    return all.filter { $0 >= below && $0 <= above }.map { ($0, label($0)) }
  }

  /// Round values from zero or near the lowest to the highest.
  static func linearTicks(_ values: [Double], label: (Double) -> String) -> [Tick] {
    guard let low = values.min(), let high = values.max() else { return [] }
    let span = max(high - low, abs(high) * 0.05, 1e-12)
    let unit = pow(10, floor(log10(span / 4)))
    let step = [1.0, 2, 5, 10].map { $0 * unit }.first { span / $0 <= 5 } ?? unit * 10
    return stride(from: (low / step).rounded(.down), through: (high / step).rounded(.up), by: 1)
      .map { ($0 * step, label($0 * step)) }
  }
}
