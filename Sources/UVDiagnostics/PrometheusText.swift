#if HTTP || Everything
import UV
import UVStalls

/// The figures of loops in Prometheus' text format. The names are those that `reportMetrics` of `UVService` has, with
/// `_` in place of dots. A figure of a period is that of the time since the last text.
struct PrometheusText {
  /// By loop, since a loop's name may change.
  private var last: [ObjectIdentifier: LoopReading] = [:]

  /// The upper bounds of the histogram, in seconds.
  private static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  mutating func text(_ views: [LoopView]) -> String {
    var text = ""
    Self.head("uv.eventloop.answers", "gauge", "Whether the loop answers, 1 or 0.", &text)
    for view in views {
      Self.line("uv.eventloop.answers", [("loop", view.name)], view.silence == nil ? 1 : 0, &text)
    }
    Self.head("uv.eventloop.silence", "gauge", "For how long the loop hasn't answered, in seconds.", &text)
    for view in views {
      Self.line("uv.eventloop.silence", [("loop", view.name)], (view.silence ?? .zero) / .seconds(1), &text)
    }
    let periods = views.compactMap { view in
      view.answer.map { answer in
        let period = LoopPeriod(answer.reading, since: last[view.id] ?? answer.reading)
        last[view.id] = answer.reading
        return (name: view.name, period: period)
      }
    }
    var named = ""
    for figure in LoopFigure.all {
      let values = periods.compactMap { name, period in Self.value(figure, period).map { (name, $0) } }
      if values.isEmpty { continue }
      if figure.name != named { Self.head(figure.name, Self.type(of: figure), figure.help, &text) }
      named = figure.name
      for (name, value) in values {
        Self.line(figure.name, [("loop", name)] + (figure.dimension.map { [$0] } ?? []), value, &text)
      }
    }
    Self.histogram(periods.map { ($0.name, $0.period.now.lag) }, &text)
    return text
  }

  private static func value(_ figure: LoopFigure, _ period: LoopPeriod) -> Double? {
    if case .period(let value) = figure.kind { value(period) } else { figure.value(of: period.now) }
  }

  private static func type(of figure: LoopFigure) -> String {
    switch figure.kind {
    case .count, .time: "counter"
    case .level, .period: "gauge"
    }
  }

  /// The lengths of all turns since the loops measure them.
  private static func histogram(_ lags: [(name: String, lag: LoopLag)], _ text: inout String) {
    let lags = lags.filter { $0.lag.elapsedTime > .zero }
    if lags.isEmpty { return }
    let name = "uv.eventloop.turn.seconds"
    head(name, "histogram", "How long turns of the loop took, in seconds.", &text)
    for (loop, lag) in lags {
      var counts = Array(repeating: UInt64(0), count: bounds.count)
      lag.forEachLength { length, count in
        let seconds = Double(length) / 1e9
        for index in bounds.indices where seconds <= bounds[index] { counts[index] += count }
      }
      for (bound, count) in zip(bounds, counts) {
        line(name + ".bucket", [("loop", loop), ("le", "\(bound)")], Double(count), &text)
      }
      line(name + ".bucket", [("loop", loop), ("le", "+Inf")], Double(lag.count), &text)
      line(name + ".sum", [("loop", loop)], lag.busyTime / .seconds(1), &text)
      line(name + ".count", [("loop", loop)], Double(lag.count), &text)
    }
  }

  private static func head(_ name: String, _ type: String, _ help: String, _ text: inout String) {
    text += "# HELP \(plain(name)) \(help)\n# TYPE \(plain(name)) \(type)\n"
  }

  private static func line(
    _ name: String, _ labels: [(name: String, value: String)], _ value: Double, _ text: inout String
  ) {
    let labels = labels.map { "\(plain($0.name))=\"\(escaped($0.value))\"" }.joined(separator: ",")
    text += "\(plain(name)){\(labels)} \(JSON.number(value).text)\n"
  }

  private static func plain(_ name: String) -> String { String(name.map { $0 == "." ? "_" : $0 }) }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\\(scalar)"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
#endif
