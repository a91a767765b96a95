/// The rows of all workloads in one table: each program's processor time per operation over that of the row
/// in C, grouped by the style that it is compared with.
struct PeerTable: Tabular, Sendable {
  struct Line: Sendable {
    var style: Style
    var row: Style
    var ratios: [String: Double]
    /// Instructions in user space for a request, where they were counted.
    var instructions: Double?

    /// Whether the row is one of the library's own.
    var isOurs: Bool { row == style && row != .c }
  }

  var workloads: [String]
  /// The programs, by style and then by the first ratio.
  var lines: [Line]

  init(_ results: [RowResult], peers: [Peer]) {
    let styles = Dictionary(peers.map { ($0.row, $0.style) }) { first, _ in first }
    var workloads: [String] = []
    var lines: [Style: Line] = [:]
    for row in results {
      let workload = Self.name(row, among: results)
      if !workloads.contains(workload) { workloads.append(workload) }
      guard let ratio = row.ratioToC?.cpu, row.hasEnoughForARatio else { continue }
      let style = styles[row.style] ?? row.style
      var line = lines[row.style] ?? Line(style: style, row: row.style, ratios: [:])
      line.ratios[workload] = ratio
      line.instructions = row.countsPerOperation[.instructions] ?? line.instructions
      lines[row.style] = line
    }
    self.workloads = workloads
    self.lines = lines.values.sorted { first, second in
      let places = [first, second].map { Style.all.firstIndex(of: $0.style) ?? Style.all.count }
      if places[0] != places[1] { return places[0] < places[1] }
      for workload in workloads {
        let ratios = [first, second].map { $0.ratios[workload] ?? .infinity }
        if ratios[0] != ratios[1] { return ratios[0] < ratios[1] }
      }
      return first.row.rawValue < second.row.rawValue
    }
  }

  /// The workload's name, and what sets its cases apart.
  private static func name(_ row: RowResult, among results: [RowResult]) -> String {
    let others = results.filter { $0.workload == row.workload }
    let parts = row.parameters.names.filter { name in
      others.contains { $0.parameters.value(name) != row.parameters.value(name) }
    }
    return ([row.workload] + parts.map { "\($0)=\(row.parameters[$0])" }).joined(separator: " ")
  }

  /// The head and the lines; a style is named in its first line only.
  var rows: [[String]] {
    let isCounted = lines.contains { $0.instructions != nil }
    var rows = [["style", "CPU/op, vs c"] + workloads + (isCounted ? ["instructions"] : [])]
    for (index, line) in lines.enumerated() {
      let isNew = index == 0 || lines[index - 1].style != line.style
      rows.append(
        [isNew ? line.style.rawValue : "", line.row.rawValue + (line.isOurs ? " (ours)" : "")]
          + workloads.map { line.ratios[$0].map(Figure.ratio) ?? "" }
          + (isCounted ? [line.instructions.map { Figure.fixed($0, digits: 0) } ?? ""] : []))
    }
    return rows
  }

  var words: Set<Int> { [0, 1] }

  var section: HTMLReport.Section {
    HTMLReport.Section(id: "peers", title: "Beside the peers", table: rows, notes: verdicts)
  }

  /// For each style that has peers, where ours is the first line and where it is not.
  var verdicts: [String] {
    Style.all.compactMap { style in
      guard let ours = lines.first(where: { $0.row == style }) else { return nil }
      let peers = lines.filter { $0.style == style && $0.row != style }
      var (first, behind): ([String], [String]) = ([], [])
      for workload in workloads {
        let best = peers.compactMap { peer in peer.ratios[workload].map { (peer.row, $0) } }
          .min { $0.1 < $1.1 }
        guard let own = ours.ratios[workload], let (row, theirs) = best else { continue }
        if own <= theirs {
          first.append(workload)
        } else {
          behind.append("\(workload) (\(row) \(Figure.ratio(theirs)), ours \(Figure.ratio(own)))")
        }
      }
      let parts = [("first in ", first), ("behind in ", behind)].filter { !$1.isEmpty }
        .map { $0 + $1.joined(separator: ", ") }
      return parts.isEmpty ? nil : "\(style): " + parts.joined(separator: "; ")
    }
  }
}
