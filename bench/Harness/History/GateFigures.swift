/// The figures of a gate of other people's programs, as a history follows them: relative to the old program, which is the same in all gates
/// of one name.
struct GateFigures: Codable, FollowedRow, Sendable {
  var name: String
  var figures: [FigureRow]

  var id: WorkloadID {
    WorkloadID(workload: name, revision: 1, style: .new, parameters: ParameterValues([:]))
  }

  func isRelative(_ figure: HistoryFigure) -> Bool { true }

  func value(_ figure: HistoryFigure, isRelative: Bool) -> Double? {
    let judged: OutsideFigure =
      switch figure {
      case .cpu: .cpu
      case .throughput: .time
      case .p50: .p50
      case .p99: .p99
      case .p999: .p999
      case .memory: .memory
      }
    let ratio = figures.first { $0.figure == judged }?.change.map { 1 + $0 }
    return figure == .throughput ? ratio.map { 1 / $0 } : ratio
  }
}

extension Style {
  /// The new one of two programs of other people's.
  static let new = Style(rawValue: "new")

  /// The row or program to which its relative figures are relative.
  var reference: String { self == .new ? "the old one" : "c" }
}

extension Results {
  /// A gate as a run of a history.
  init(_ report: GateReport) {
    let method = Method(
      rounds: 0, windowNanoseconds: 0, commit: report.commit ?? "", build: "", threadPool: 0,
      pinnedApart: false)
    // Programs of others have neither our Swift nor our libuv.
    self.init(
      date: report.date, machine: report.machine, libuv: "", swift: "", method: method, results: [],
      gate: GateFigures(name: report.name ?? "", figures: report.figures))
  }

  var followed: [any FollowedRow] { gate.map { [$0] } ?? results }
}
