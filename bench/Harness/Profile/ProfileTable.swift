/// What the costliest functions spend on an operation, or those that changed most since another build.
struct ProfileTable: Tabular, Sendable {
  private let lines: [(name: String, now: Double, base: Double?)]
  private let total: Double

  /// The table of so many functions, 1 or more.
  init(_ graph: CallGraph, since base: CallGraph? = nil, count: Int) {
    total = graph.total
    let names = Set(graph.own.keys).union(base.map { Set($0.own.keys) } ?? [])
    let all = names.map { name in
      (name: name, now: graph.own[name] ?? 0, base: base.map { $0.own[name] ?? 0 })
    }
    func weight(_ line: (name: String, now: Double, base: Double?)) -> Double {
      line.base.map { abs(line.now - $0) } ?? line.now
    }
    // Less than an instruction in an operation is nothing that an operation does.
    lines = Array(
      all.filter { weight($0) >= 1 }.sorted { (weight($0), $1.name) > (weight($1), $0.name) }.prefix(count))
  }

  var rows: [[String]] {
    let hasBase = lines.contains { $0.base != nil }
    let head = hasBase ? ["change", "base", "now", "function"] : ["instr/op", "share", "function"]
    return [head]
      + lines.map { line in
        guard let base = line.base else {
          return [Figure.count(line.now), Figure.percent(line.now / max(total, 1)), Self.short(line.name)]
        }
        let change = line.now - base
        return [
          (change < 0 ? "−" : "+") + Figure.count(abs(change)), Figure.count(base), Figure.count(line.now),
          Self.short(line.name),
        ]
      }
  }

  /// A name that fits a line. What sets functions apart stands at both ends: the type and the name, and what
  /// it was made for.
  private static func short(_ name: String) -> String {
    name.count <= 110 ? name : name.prefix(70) + "…" + name.suffix(39)
  }

  var words: Set<Int> { [rows[0].count - 1] }
}
