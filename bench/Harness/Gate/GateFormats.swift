extension GateReport {
  var markdown: String {
    var lines = ["### Benchmark gate: \(exit == 0 ? "passed" : "failed, code \(exit)")", ""]
    lines += GateText.summary(self).map { "- \($0)" }
    if !times.isEmpty {
      let rows = times.map { row in
        [
          "`\(row.id)`", row.outcome.rawValue, GateText.change(row.cpu), GateText.change(row.wall),
          row.noiseFloor.map { "±" + Figure.percent($0) } ?? "",
        ]
      }
      lines += ["", Self.table(["row", "verdict", "CPU", "wall", "noise floor"], rows)]
    }
    if !figures.isEmpty { lines += ["", Self.table(FigureRow.head, figures.map(\.cells))] }
    let told = counts.filter { $0.outcome != .unchanged }
    if !counts.isEmpty {
      let same = counts.count - told.count
      lines += ["", "Counted: \(Figure.number(counts.count, "row")), unchanged: \(same)."]
    }
    if !told.isEmpty {
      let rows = told.map { row in
        let what = row.findings.filter { $0.level != .unsteady }.map(\.change)
        let all = (what + [row.reason].compactMap(\.self)).joined(separator: "; ")
        return ["`\(row.id)`", row.outcome.rawValue, all]
      }
      lines += ["", Self.table(["row", "verdict", "what"], rows)]
    }
    // Programs of others aren't built by our compiler.
    let compiler = base["figures"] == nil ? "; Swift \(swift)" : ""
    lines += ["", "\(machine.cpu), \(machine.cores) processors\(compiler). Again: `\(command)`", ""]
    return lines.joined(separator: "\n")
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    String(TextTable([head] + rows, words: Set(head.indices)).markdown.dropLast())
  }

  var junit: String {
    var cases: [JUnit.Case] = counts.map { row in
      JUnit.Case(
        group: "counts", name: row.id, seconds: row.seconds ?? 0, result: Self.result(row.outcome),
        text: GateText.lines(row).joined(separator: "\n"))
    }
    cases += times.map { row in
      JUnit.Case(
        group: "times", name: row.id, seconds: row.seconds ?? 0, result: Self.result(row.outcome),
        text: GateText.line(row))
    }
    cases += figures.map { row in
      JUnit.Case(
        group: "figures", name: row.title, seconds: (row.seconds ?? 0) / Double(figures.count),
        result: Self.result(row.outcome),
        text: row.cells.filter { !$0.isEmpty }.joined(separator: "  "))
    }
    if let reason {
      cases.append(
        JUnit.Case(
          group: "gate", name: "not finished", seconds: seconds ?? 0, result: .failed, text: reason))
    }
    return JUnit.document(suite: "gate", date: date, cases)
  }

  private static func result(_ outcome: GateOutcome) -> JUnit.Result {
    switch outcome {
    case .regressed: .failed
    case .inconclusive, .tooNoisy, .notComparable: .skipped
    case .improved, .unchanged: .passed
    }
  }
}

enum JUnit {
  enum Result { case passed, failed, skipped }

  struct Case {
    var group: String
    var name: String
    var seconds: Double
    var result: Result
    var text: String
  }

  static func document(suite: String, date: String, _ cases: [Case]) -> String {
    let failures = cases.count { $0.result == .failed }
    let skipped = cases.count { $0.result == .skipped }
    let time = Figure.fixed(cases.reduce(0) { $0 + $1.seconds }, digits: 3)
    let stamp = XMLText.escaped(String(date.prefix(19)))
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
    lines.append(
      "  <testsuite name=\"\(suite)\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\""
        + " skipped=\"\(skipped)\" time=\"\(time)\" timestamp=\"\(stamp)\">")
    for item in cases {
      let name = XMLText.escaped(item.name)
      let text = XMLText.escaped(item.text)
      let seconds = Figure.fixed(item.seconds, digits: 3)
      let open = "    <testcase classname=\"\(suite).\(item.group)\" name=\"\(name)\" time=\"\(seconds)\">"
      let first = XMLText.escaped(String(item.text.prefix { $0 != "\n" }))
      switch item.result {
      case .passed: lines.append(open + "<system-out>\(text)</system-out></testcase>")
      case .failed: lines.append(open + "<failure message=\"\(first)\">\(text)</failure></testcase>")
      case .skipped: lines.append(open + "<skipped message=\"\(first)\"/></testcase>")
      }
    }
    return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
  }
}
