/// The processor time of each style beside that of C, as bars in a terminal.
struct BarPicture {
  /// Empty where nothing was compared with C.
  let lines: [String]

  /// How many columns the bar of C has, and the longest bar.
  private static let (unit, longest) = (20.0, 52.0)

  /// Whether standard output is a terminal that shows colours; the variable `NO_COLOR` turns them off.
  static var isColorWanted: Bool {
    isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
      && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  init(_ results: Results, isColored: Bool) {
    let cases = results.cases.filter { rows in
      rows.contains { $0.style == .c } && rows.contains { $0.style != .c && $0.hasEnoughForARatio }
    }
    guard !cases.isEmpty else {
      lines = []
      return
    }
    let names = cases.flatMap { $0.map(\.style.rawValue) }
    let width = names.map(\.count).max() ?? 0
    var lines = [
      "", "Processor time of an operation, C on libuv = 1: the median of the rounds, and the quartiles.", "",
    ]
    for rows in cases {
      lines.append(rows[0].caseName)
      for row in rows {
        let ratios = Spread(row.style == .c ? [1] : results.ratios(of: row, \.cpuNanosecondsPerOperation))
        guard row.style == .c || row.hasEnoughForARatio else { continue }
        let name = row.style.rawValue + String(repeating: " ", count: width - row.style.rawValue.count)
        let bar = Self.bar(ratios.median)
        let figures =
          row.style == .c
          ? "1" : "\(number(ratios.median))  \(number(ratios.q1)) to \(number(ratios.q3))"
        lines.append("  \(name)  \(isColored ? Self.color(row.style, bar) : bar) \(figures)")
      }
      lines.append("")
    }
    self.lines = lines
  }

  /// A bar in eighths of a column. One that would be too long ends in an arrow.
  private static func bar(_ ratio: Double) -> String {
    let eighths = Int((min(ratio * unit, longest) * 8).rounded())
    let rest = eighths % 8 == 0 ? "" : ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8 - 1]
    return String(repeating: "█", count: eighths / 8) + rest + (ratio * unit > longest ? "▶" : "")
  }

  /// C is grey, the styles have the colours of the charts.
  private static func color(_ style: Style, _ text: String) -> String {
    let colors: [Style: Int] = [.c: 245, .callback: 33, .promise: 208, .future: 35, .async: 133]
    return "\u{1B}[38;5;\(colors[style] ?? 250)m\(text)\u{1B}[0m"
  }
}

private func number(_ ratio: Double) -> String { Figure.fixed(ratio, digits: ratio < 9.95 ? 2 : 1) }
