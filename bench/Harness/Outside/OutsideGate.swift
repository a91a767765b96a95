/// Two programs that others wrote, fresh processes of which can be measured against each other again and again.
protocol Rivals {
  /// The commands that start them.
  var base: String { get }
  var head: String { get }
  var isServer: Bool { get }
  /// What can be measured of them.
  var figures: Set<OutsideFigure> { get }
  /// Finds out what has to be known first.
  mutating func prepare() throws
  /// Measures a pair of fresh processes. There may be more figures than those that are asked for.
  func sample(
    headFirst: Bool, figures: Set<OutsideFigure>, random: inout SplitMix64
  ) throws -> [OutsideFigure: OutsideSample]
}

/// Measures rivals until it has a verdict, or until it has taken the most pairs that it may.
struct OutsideGate {
  var figures: Set<OutsideFigure>
  /// The smallest change of processor time that has to be found.
  var smallest: Double
  /// The delay of one request in a hundred that has to be found, in nanoseconds: pairs are taken until 19 of 20 gates would find it.
  var delay: Double?
  var seed: UInt64
  /// Seconds after which no further pair begins.
  var budget: Double?
  var confirms = true
  let progress: Progress

  func run(_ rivals: some Rivals) throws -> [FigureRow] {
    defer { progress.clear() }
    let figures = figures.intersection(rivals.figures)
    guard !figures.isEmpty else { return [] }
    var rivals = rivals
    var random = SplitMix64(seed: seed)
    let start = ProcessUsage.now().wall
    let end = budget.map { start + UInt64($0 * 1e9) } ?? .max
    progress.show("finding how much to ask for", share: 0)
    try rivals.prepare()
    let (measured, samples) = try measure(rivals, figures, until: end, &random)
    var rows = measured
    let worse = Set(rows.filter { $0.outcome == .regressed }.map(\.figure))
    if confirms, !worse.isEmpty {
      // What was slower for a while is found out by asking again when that while is over.
      let again = try measure(rivals, worse, until: .max, &random).rows
      for (index, row) in rows.enumerated() {
        if let second = again.first(where: { $0.figure == row.figure }) { rows[index].confirm(with: second) }
      }
    }
    let seconds = Double(ProcessUsage.now().wall - start) / 1e9
    for index in rows.indices {
      rows[index].seconds = seconds
      // What was found says so itself.
      guard rows[index].figure == .p99, rows[index].outcome != .regressed else { continue }
      rows[index].reach(of: samples[.p99] ?? [], smallest: smallest, delay: delay)
    }
    return rows
  }

  private func measure(
    _ rivals: some Rivals, _ figures: Set<OutsideFigure>, until end: UInt64, _ random: inout SplitMix64
  ) throws -> (rows: [FigureRow], samples: [OutsideFigure: [OutsideSample]]) {
    var samples: [OutsideFigure: [OutsideSample]] = [:]
    func judged() -> [FigureRow] {
      figures.sorted().map {
        FigureRow($0, samples[$0] ?? [], smallest: smallest, delay: delay, isServer: rivals.isServer)
      }
    }
    let looks = OutsideFigure.looks + (delay == nil ? [] : OutsideFigure.moreLooks)
    let most = looks.last ?? 1
    for number in 0..<most where ProcessUsage.now().wall < end {
      try Interruption.check()
      progress.show("pair \(number + 1) of \(most) at most: measuring", share: Double(number) / Double(most))
      // What starts second may find its files warm: the sides take turns at starting.
      let pair = try rivals.sample(headFirst: number % 2 == 1, figures: figures, random: &random)
      for figure in figures { if let sample = pair[figure] { samples[figure, default: []].append(sample) } }
      guard looks.contains(number + 1) else { continue }
      if isEnough(judged(), samples) { break }
    }
    return (judged(), samples)
  }

  /// Whether nothing is to be expected of more pairs. The first figure is asked for until it is clear. Others may cost most of the time: for
  /// them there are more pairs only where they look worse, or until a delay would be found that has to be.
  private func isEnough(_ rows: [FigureRow], _ samples: [OutsideFigure: [OutsideSample]]) -> Bool {
    let pairs = rows.map(\.pairs).max() ?? 0
    let isUsual = pairs < OutsideFigure.looks.last ?? 0
    if isUsual,
      rows.first?.outcome == .inconclusive || rows.contains(where: { $0.isSuspect(smallest: smallest) })
    {
      return false
    }
    guard let delay, var row = rows.first(where: { $0.figure == .p99 }), row.outcome != .regressed else {
      return true
    }
    row.reach(of: samples[.p99] ?? [], smallest: smallest, delay: delay)
    return row.reach?.found ?? 0 >= LatencyReach.wanted
  }
}
