/// What the tables of a run show, in a few sentences for somebody who has never read them: one for each
/// style, and one that says which differences say nothing.
struct PlainSummary: Sendable {
  /// The sentences; none where nothing was compared with C.
  let sentences: [String]

  /// Begins with the case that people ask about first; where it wasn't measured, with the first that was.
  init(_ results: Results, headline: String? = BenchMain.quickNames.first) {
    let measured = results.results.filter { $0.style != .c && $0.ratioToC != nil && $0.hasEnoughForARatio }
    let first = measured.first { $0.workload == headline } ?? measured.first
    let styles = measured.map(\.style).unique()
    let lines = styles.compactMap { style in
      Self.sentence(on: style, in: measured.filter { $0.style == style }, results, first: first)
    }
    sentences = lines.isEmpty ? [] : lines + [Self.trust(results)]
  }

  private static func sentence(
    on style: Style, in rows: [RowResult], _ results: Results, first: RowResult?
  ) -> String? {
    let headline = rows.first { $0.workload == first?.workload && $0.parameters == first?.parameters }
    let figures = headline.map { results.ratios(of: $0, \.cpuNanosecondsPerOperation) } ?? []
    let all = Spread(rows.compactMap(\.ratioToC?.cpu))
    let over = "over \(rows.count) cases half cost \(range(all))"
    guard let headline, !figures.isEmpty else { return "\(style): \(over)." }
    let spread = Spread(figures)
    let parameters = headline.parameters.description
    let name = headline.workload + (parameters.isEmpty ? "" : " (\(parameters))")
    let median =
      spread.median >= 2
      ? "\(times(spread.median)) times C's processor time" : "\(share(spread.median)) processor time than C"
    let one = "\(style) costs \(median) in \(name), and \(range(spread)) in half of the rounds"
    guard rows.count > 1, let worst = rows.max(by: { $0.ratioToC!.cpu < $1.ratioToC!.cpu }) else {
      return one + "."
    }
    return "\(one); \(over), and \(worst.workload) the most, \(share(worst.ratioToC!.cpu))."
  }

  /// How far the rounds of one row lie apart, which hides smaller differences between rows.
  private static func trust(_ results: Results) -> String {
    let spreads = results.results.filter { $0.rounds.count >= RowResult.leastRounds }
      .map(\.spread.cpuNanosecondsPerOperation.relative)
    guard !spreads.isEmpty else { return "There were too few rounds to say how sure that is." }
    let usual = Spread(spreads)
    return
      "The rounds of the same row differ by \(percent(usual.median)) (half of the rows by \(Figure.fixed(usual.q1 * 100, digits: 0)) to"
      + " \(percent(usual.q3))): smaller differences say nothing."
  }

  /// `8 % more`, `3 % less`, `no more`, `2.3 times as much`.
  private static func share(_ ratio: Double) -> String {
    let difference = ratio - 1
    if abs(difference) < 0.005 { return "no more" }
    if ratio >= 2 { return times(ratio) + " times as much" }
    return percent(abs(difference)) + (difference > 0 ? " more" : " less")
  }

  /// `2 % less to 4 % more`, `5 to 9 % more`, `2.3 to 14 times as much`.
  private static func range(_ spread: Spread) -> String {
    let (low, high) = (share(spread.q1), share(spread.q3))
    if low == high { return low }
    if spread.q1 >= 2 { return "\(times(spread.q1)) to \(high)" }
    let isOneSided = spread.q3 < 2 && (spread.q1 >= 1.005 || spread.q3 <= 0.995)
    return "\(isOneSided ? Figure.fixed(abs(spread.q1 - 1) * 100, digits: 0) : low) to \(high)"
  }

  private static func times(_ ratio: Double) -> String { Figure.fixed(ratio, digits: ratio < 9.95 ? 1 : 0) }

  private static func percent(_ share: Double) -> String { Figure.fixed(share * 100, digits: 0) + " %" }
}
