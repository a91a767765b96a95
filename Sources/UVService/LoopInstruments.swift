#if Service || Everything
import Metrics
import UV
import UVStalls

/// The instruments of swift-metrics for one loop; see `EventLoop.reportMetrics`. What isn't known has none.
struct LoopInstruments {
  private enum Instrument {
    case counter(Counter)
    case time(FloatingPointCounter)
    case gauge(Gauge)
  }

  private let name: String
  private let factory: any MetricsFactory
  /// Those of `LoopFigure.all`.
  private var instruments: [Instrument?]

  init(_ name: String, _ factory: any MetricsFactory) {
    (self.name, self.factory) = (name, factory)
    instruments = Array(repeating: nil, count: LoopFigure.all.count)
  }

  mutating func record(_ now: LoopReading, since last: LoopReading) {
    let period = LoopPeriod(now, since: last)
    for (index, figure) in LoopFigure.all.enumerated() {
      switch figure.kind {
      case .count(let value):
        guard let count = value(now) else { continue }
        counter(index, figure).increment(by: Self.growth(count, since: value(last) ?? 0))
      case .time(let value):
        guard let time = value(now) else { continue }
        let growth = Self.growth(time, since: value(last) ?? .zero)
        self.time(index, figure).increment(by: growth / .seconds(1))
      case .level(let value): gauge(index, figure).record(value(now))
      case .period(let value):
        if let value = value(period) { gauge(index, figure).record(value) }
      }
    }
  }

  /// Nothing is open after the loop's end.
  mutating func recordEnd() {
    for (index, figure) in LoopFigure.all.enumerated() {
      if case .level = figure.kind { gauge(index, figure).record(0) }
    }
  }

  /// A loop that measures anew has all its growth since then.
  private static func growth<Value: Comparable & AdditiveArithmetic>(_ now: Value, since last: Value) -> Value
  {
    now < last ? now : now - last
  }

  // MARK: Instruments

  private func dimensions(_ figure: LoopFigure) -> [(String, String)] {
    [("loop", name)] + (figure.dimension.map { [($0.name, $0.value)] } ?? [])
  }

  private mutating func counter(_ index: Int, _ figure: LoopFigure) -> Counter {
    if case .counter(let counter) = instruments[index] { return counter }
    let counter = Counter(label: figure.name, dimensions: dimensions(figure), factory: factory)
    instruments[index] = .counter(counter)
    return counter
  }

  private mutating func time(_ index: Int, _ figure: LoopFigure) -> FloatingPointCounter {
    if case .time(let counter) = instruments[index] { return counter }
    let counter = FloatingPointCounter(label: figure.name, dimensions: dimensions(figure), factory: factory)
    instruments[index] = .time(counter)
    return counter
  }

  private mutating func gauge(_ index: Int, _ figure: LoopFigure) -> Gauge {
    if case .gauge(let gauge) = instruments[index] { return gauge }
    let gauge = Gauge(label: figure.name, dimensions: dimensions(figure), factory: factory)
    instruments[index] = .gauge(gauge)
    return gauge
  }
}
#endif
