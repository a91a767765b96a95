import ArgumentParser

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What about this machine will spoil a measurement, and what to do about it.",
    discussion: """
      Looks at the load, the processors, the clock and the limits of a container;
      then compares this program with itself, and says how small a change the gate
      could find here. With --check it finds out something else instead:

      """
        + checks.map { "  \($0.name): \($0.question)\n" }.joined() + """

          Exit codes: 0 done, 1 a check found what must not be, 2 wrong use, 3 the work
          was wrong or a worker died.
          """)

  private static var checks: [DoctorCheck] { [StallsCheck.check] + BenchMain.current.checks }

  @Option(help: "Seconds per row that a gate would have.")
  var budget = 20.0

  @Option(name: .shortAndLong, help: "The workload to look at. (default: a server, if there is one)")
  var workload: String?

  @Option(help: "Find out this instead, by its name above. Repeatable.")
  var check: [String] = []

  @Option(help: "With --check: seconds for each measurement.")
  var seconds: Double?

  @Flag(help: "Leave the noise floor out.")
  var fast = false

  func validate() throws {
    guard budget >= 1 else { throw ValidationError("--budget is at least one second") }
    try Limits.check(budget, "--budget", upTo: Limits.seconds)
    try Limits.check(seconds, "--seconds", upTo: Limits.seconds)
    let names = Self.checks.map(\.name)
    if let unknown = check.first(where: { !names.contains($0) }) {
      throw ValidationError("there is no check `\(unknown)`; there are \(names.joined(separator: ", "))")
    }
  }

  func run() throws {
    guard check.isEmpty else {
      let options = DoctorCheck.Options(seconds: seconds, workload: workload)
      let chosen = Self.checks.filter { check.contains($0.name) }
      // All of them, whatever the first finds.
      let found = try chosen.map { try $0.run(options) }
      guard found.allSatisfy({ $0 }) else { throw ExitCode(BenchExit.regression.rawValue) }
      return
    }
    let item = try fast ? nil : item()
    for finding in MachineCheck.all() {
      print("\(finding.isGood ? "good" : "poor")  \(finding.what)")
      if !finding.isGood { print("      \(finding.advice)") }
    }
    guard let item else { return }
    let workers = try Workers()
    let options = TimeGate.Options(rowBudget: budget, measuresNoise: false)
    let gate = TimeGate(base: workers.start, head: workers.start, options: options, progress: Progress())
    let row = try gate.run([item])[0]
    for line in noise(row) { print(line) }
  }

  /// The row that is compared with itself.
  private func item() throws -> SuitePlan.Case {
    let all = BenchMain.current.workloads
    // A server is near the middle of what is measured; sleeping or a long run is not.
    let usual = all.last { $0.hasOpenLoop } ?? all.first { $0.operationCount == .calibrated }
    let first = workload ?? usual?.name
    var item = try SuitePlan.cases(all, patterns: first.map { [$0] } ?? [], quick: true)[0]
    item.styles = Array(item.styles.prefix(1))
    return item
  }

  /// What a comparison of a program with itself says of the machine.
  private func noise(_ row: GateRow) -> [String] {
    guard let cpu = row.cpu, let interval = cpu.interval, let change = cpu.change else {
      return ["poor  the noise floor: too few batches in \(Figure.fixed(budget, digits: 0)) s"]
    }
    let half = (interval[1] - interval[0]) / 2
    let rule = GateRule()
    // The interval must clear its bound, and the estimate the least effect, with room for
    // the estimate to fall short.
    let smallest = max(rule.minimumEffect, rule.bound + half) + half / 2
    let percent = { (value: Double) in Figure.fixed(value * 100, digits: 1) + " %" }
    return [
      "\(half < 0.03 ? "good" : "poor")  the noise floor: \(row.id) differs from itself by"
        + " \(GateText.percent(change)), ± \(percent(half)) (99 %), after \(Figure.number(cpu.quads, "comparison")) in"
        + " \(Figure.fixed(row.seconds ?? 0, digits: 0)) s; the gate says \(row.outcome.rawValue)",
      "      the smallest change that the gate would find here in \(Figure.fixed(budget, digits: 0)) s"
        + " a row: about \(percent(smallest))",
    ]
  }
}
