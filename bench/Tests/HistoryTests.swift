import Foundation
import Testing

@testable import BenchHarness

/// Where a series of figures changes its level.
@Suite struct ChangePointTests {
  @Test(
    "A step is found that stands out from the scatter, and nothing else is",
    arguments: [
      ([1, 1, 1, 1, 1, 1], []), ([1, 1.01, 0.99, 1.2, 1.21, 1.19], [3]), ([1, 1.2], []), ([], []), ([1], []),
      ([1, 1.01, 1, 5, 1, 1.01, 0.99, 1], []), ([1, 1, 1, 1.01, 1.01, 1.01], []), ([0, 0, 0, 1, 1, 1], [3]),
      (
        [1, 1.01, 1, 0.99, 1.02].repeated(3) + [2, 2.01, 1.99].repeated(5) + [1, 1.01, 0.99].repeated(5),
        [15, 30]
      ),
    ] as [([Double], [Int])])
  func steps(values: [Double], expected: [Int]) {
    #expect(ChangePoints.find(values).map(\.index) == expected)
  }

  @Test(
    "A planted step of 3, 5 or 10 % is found where it is, within a run or two",
    arguments: [0.03, 0.05, 0.10], [0.002, 0.005, 0.01])
  func planted(step: Double, scatter: Double) {
    var random = Scatter(seed: 7)
    var missed = 0
    for place in stride(from: 15, through: 85, by: 10) {
      let values = (0..<100).map { (1 + ($0 < place ? 0 : step)) * (1 + scatter * random.next()) }
      let found = ChangePoints.find(values, minimum: 0.02)
      if found.count != 1 || abs(found[0].index - place) > 2 { missed += 1 }
    }
    #expect(missed == 0)
  }

  @Test("In series without a step none is found", arguments: [0.002, 0.02, 0.1])
  func nothing(scatter: Double) {
    var random = Scatter(seed: 11)
    let found = (0..<100).map { _ in
      ChangePoints.find((0..<60).map { _ in 1 + scatter * random.next() }).count
    }
    // At a significance of 0.001 one series of a hundred may seem to have one.
    #expect(found.reduce(0, +) <= 1)
  }

  @Test(
    "Apache Otava finds the same places in the same series", .enabled(if: Otava.isThere),
    arguments: [0.0, 0.03])
  func judge(minimum: Double) throws {
    // Where steps follow each other closely, Otava 0.8 takes some away that its own test would keep: as it
    // merges levels, it doesn't test the step before them again.
    var random = Scatter(seed: 3)
    var series: [[Double]] = []
    for length in [6, 9, 12, 20, 30, 40, 49, 50, 51, 60, 75, 100, 101, 130, 200] {
      for scatter in [0.002, 0.01, 0.02, 0.05] {
        var level = 100.0
        series.append(
          (0..<length).map { index in
            let steps = [-0.1, -0.05, -0.03, 0.03, 0.05, 0.1]
            if index % 60 == 11 { level *= 1 + steps[(index + length) % 6] }
            return level * (1 + scatter * random.next())
          })
      }
    }
    let ours = series.map { ChangePoints.find($0, minimum: minimum).map(\.index) }
    #expect(ours == (try Otava.changes(in: series, significance: 0.001, minimum: minimum)))
    #expect(ours.joined().count > 50)
  }
}

/// Where a series moves slowly.
@Suite struct DriftTests {
  private func found(_ values: [Double]) -> Drifts { Drifts(values, steps: ChangePoints.find(values)) }

  @Test(
    "Ten steps of 1 % are one drift of 10 %, not a step or nothing", arguments: [1, 3], [0, 0.001, 0.003])
  func tenSteps(runs: Int, scatter: Double) throws {
    var random = Scatter(seed: 5)
    for flat in [0, 6, 20] {
      let values = (0..<flat + 10 * runs).map { index in
        pow(1.01, Double(max(0, index - flat + runs) / runs)) * (1 + scatter * random.next())
      }
      let found = found(values)
      try #require(found.drifts.count == 1 && found.steps.isEmpty, "\(found)")
      let drift = found.drifts[0]
      #expect(abs(drift.change - 0.1) < 0.02 && abs(drift.first - flat) <= 2 * runs, "\(drift)")
    }
  }

  @Test(
    "A step stays a step, and figures without a trend have none", arguments: [0, 0.05, 0.1], [0.002, 0.005])
  func noDrift(step: Double, scatter: Double) {
    var random = Scatter(seed: 13)
    for place in stride(from: 5, through: 25, by: 2) {
      let values = (0..<30).map { ($0 < place ? 1 : 1 + step) * (1 + scatter * random.next()) }
      let found = found(values)
      #expect(found.drifts.isEmpty && found.steps.count == (step == 0 ? 0 : 1), "\(found)")
    }
  }

  @Test("Mann and Kendall's probabilities are those of all orders of so many figures")
  func chances() {
    // Of 24 orders of four figures one rises throughout, one falls, and three of each have one pair the other way round.
    #expect(abs(MannKendall.chance([1, 2, 3, 4]) - 2.0 / 24) < 1e-12)
    #expect(abs(MannKendall.chance([4, 3, 1, 2]) - 8.0 / 24) < 1e-12)
    #expect(MannKendall.chance([1, 1, 1, 1]) == 1 && MannKendall.chance([1]) == 1)
    // Beyond what is counted, the normal distribution goes on where that ends.
    let long = (0..<44).map { Double($0 % 11) }
    let (counted, normal) = (MannKendall.chance(long[..<40]), MannKendall.chance(long[..<41]))
    #expect(abs(counted - normal) < 0.1, "\(counted) and \(normal)")
  }

  @Test("The sum since a run is of the levels around it and at the end, and says whether it may be chance")
  func sums() throws {
    let rising: [Double] = [1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.1, 1.11]
    let sum = try #require(SinceRun(rising, since: 1))
    #expect(abs(sum.change - 0.09) < 0.01 && sum.chance ?? 1 < 0.001, "\(sum)")
    let scattered = try #require(SinceRun([1, 1.02, 0.98, 1.01, 1, 0.99], since: 0))
    #expect(scattered.chance ?? 0 > 0.1)
    let short = try #require(SinceRun([1, 2, 3], since: 0))
    #expect(short.chance == nil)
    #expect(SinceRun([1, 2], since: 1) == nil && SinceRun([], since: 0) == nil)
  }
}

/// `history`, as one meets it in a shell.
@Suite struct HistoryCommandTests {
  @Test("A step is named with its commits, machines are never joined, and a branch is read as a folder is")
  func command() throws {
    try Products.withDirectory { directory in
      try Self.writeRuns(to: directory)
      let output = try Products.shell(
        "cd \(directory) && $UVBENCH history runs -s callback --output page.html && $UVBENCH history runs -s callback --minimum 60"
      )
      #expect(output.code == 0, "\(output.text)")
      #expect(output.text.contains("left out: runs/notes.json"))
      let steps = output.lines.filter { $0.contains("then-chain@") }
      #expect(steps.count == 1 && steps[0].contains("+50.0 %"), "\(output.text)")
      #expect(
        steps.first?.contains("commit-4, 2026-01-05") == true
          && steps.first?.contains("commit-5, 2026-01-06") == true)
      // The other machine is twice as slow: no step leads there.
      #expect(output.lines.filter { $0.contains("Another processor") }.count == 2, "\(output.text)")
      #expect(output.text.contains("10 runs, 2026-01-01") && output.text.contains("4 runs, 2026-01-11"))
      let page = try Products.shell("cat \(directory)/page.html").text
      #expect(
        page.contains("class=\"step\"") && page.contains("commit-5") && page.contains("Another processor"))
      let branch = try Products.shell(
        """
        cd \(directory) && export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
        git init -qb results . && git add runs && git commit -qm results && rm -r runs
        $UVBENCH history --branch results -s callback && $UVBENCH history --branch results:runs -s callback | wc -l
        $UVBENCH history --branch nowhere
        """)
      #expect(
        branch.code == 2 && branch.lines.filter { $0.contains("then-chain@") } == steps, "\(branch.text)")
    }
  }

  @Test("Gates of programs of others are followed relative to the old one, by their name")
  func gates() throws {
    try Products.withDirectory { directory in
      let gate = try Products.shell(
        """
        set -e; cd \(directory); git init -q; git -c user.name=t -c user.email=t@t commit -qm one --allow-empty
        $EXAMPLE gate --command true --command true --name shop --time-budget 1 --json gates/; ls gates
        """)
      let name = gate.lines.last ?? ""
      try #require(
        gate.code == 0 && name.contains(#/^\d{8}T\d{6}Z-[0-9a-f]{12}\.json$/#), "\(gate.text)")
      let one = try Products.shell("cd \(directory)/gates && cat \(name) && rm \(name)")
      let measured = try LineJSON.value(GateReport.self, one.text)
      #expect(measured.name == "shop" && measured.figures.allSatisfy { $0.shifts?.count == $0.pairs })
      for index in 0..<12 {
        var report = measured
        report.date = "2026-01-\(index < 9 ? "0" : "")\(index + 1)T00:00:00Z"
        report.commit = "commit-\(index)"
        for place in report.figures.indices {
          let figure = report.figures[place].figure
          var level = figure == .time && index >= 7 ? 0.25 : index >= 5 ? 0.08 : 0.01
          if figure == .memory, index >= 10 { level = 0.01 }
          report.figures[place].change = level + 0.001 * Double(index % 3)
        }
        try AtomicFile.write(try LineJSON.string(report), to: "\(directory)/gates/\(index).json")
      }
      let output = try Products.shell(
        """
        cd \(directory); history="$EXAMPLE history gates"
        $history --output page.html; $history --figure memory; $history --figure throughput
        for last in 6 7; do $history --fail-within $last > $last; echo "cpu: $?"; done
        $history --figure memory --fail-within 12 >12; echo "memory: $?"
        for last in 4 5; do $history --figure throughput --fail-within $last > $last; echo "time: $?"; done
        grep -h ^worse 5 7; $history -w other
        """)
      #expect(
        output.lines.filter { $0.contains(#/^(cpu|memory|time|worse)[ :]/#) } == [
          "cpu: 0", "cpu: 1", "memory: 0", "time: 0", "time: 1", "worse within the last 5 runs: shop@1/new",
          "worse within the last 7 runs: shop@1/new",
        ], "\(output.text)")
      let steps = output.lines.filter { $0.hasPrefix("shop@1/new") }
      #expect(steps.count == 5 && steps[0].contains("+7.0 %"), "\(output.text)")
      #expect(steps[0].contains("commit-4, ") && steps[0].contains("commit-5, "))
      #expect(steps[1].contains("commit-5, ") && steps[2].contains("commit-10, "), "\(output.text)")
      #expect(steps[4].contains("commit-6, ") && steps[4].contains("-13."), "\(output.text)")
      #expect(output.code == 2 && output.text.contains("12 runs, 2026-01-01"), "\(output.text)")
      let page = try Products.shell("cat \(directory)/page.html").text
      #expect(
        page.contains("processor time per operation relative to the old one by run")
          && page.contains("class=\"step\""))
    }
  }

  /// Section 6 of bench/Regression.md: ten changes of 1 % each, each compared with what users have.
  @Test("What the article promises of ten changes of 1 % holds: they are a drift, and turn red")
  func tenSmallChanges() throws {
    try Products.withDirectory { directory in
      let gate = try Products.shell(
        """
        set -e; cd \(directory); git init -q; git -c user.name=t -c user.email=t@t commit -qm one --allow-empty
        $EXAMPLE gate --command true --command true --name shop --time-budget 1 --json one.json >log; mkdir history; cat one.json
        """)
      let measured = try LineJSON.value(GateReport.self, gate.text)
      var random = Scatter(seed: 1)
      for index in 0..<11 {
        var report = measured
        report.date = "2026-01-\(index < 9 ? "0" : "")\(index + 1)T00:00:00Z"
        report.commit = "commit-\(index)"
        for place in report.figures.indices {
          report.figures[place].change = pow(1.01, Double(index)) * (1 + 0.002 * random.next()) - 1
        }
        try AtomicFile.write(try LineJSON.string(report), to: "\(directory)/history/\(index).json")
      }
      let page = try #require(try TextFile.text(of: Products.root + "/bench/Regression.md"))
      let command = try #require(
        page.split(separator: "\n").first { $0.hasPrefix("uvbench history history ") })
      let output = try Products.shell(
        """
        cd \(directory); uvbench() { "$EXAMPLE" "$@"; }
        \(command); echo "code $?"
        uvbench history history --since commit-2 | grep -A 2 ^since
        uvbench history history --since commit-2 --fail-within 2 | grep '^worse since commit-2: shop'
        uvbench history history --since other
        """)
      let row = try #require(output.lines.first { $0.hasPrefix("shop@1/new") })
      #expect(row.contains(" drift ") && row.contains("commit-") && row.contains("+"), "\(output.text)")
      #expect(output.text.contains("worse within the last 20 runs: shop@1/new\ncode 1"), "\(output.text)")
      #expect(output.text.contains("since commit-2, 2026-01-03"), "\(output.text)")
      #expect(output.lines.contains("worse since commit-2: shop@1/new"), "\(output.text)")
      let sum = try #require(output.lines.last { $0.hasPrefix("shop@1/new") })
      #expect(sum.contains(#/\+[67]\.\d %/#) && sum.contains("<0.0001"), "\(output.text)")
      #expect(
        output.code == 2 && output.text.contains("--since other: none of the runs is of that commit"),
        "\(output.text)")
    }
  }

  @Test(
    "Wrong use ends with a line that says what to do",
    arguments: [
      ("history", "say which results to read"), ("history a.json --branch b", "say which results to read"),
      ("history /nonexistent.json", "there is no such file"),
      ("history x --significance 2", "is not above 0"),
      ("history x --minimum 101", "is not 0 to 100"), ("history x --fail-within 1", "is not 2 or more"),
      ("history /proc/self/fdinfo", "no JSON file"),
    ])
  func wrongUse(command: String, text: String) throws {
    let output = try Products.shell("$UVBENCH \(command)")
    #expect(output.code == 2 && output.text.contains(text), "\(output.text)")
  }

  /// Ten runs of this machine whose processor time grows by a half with the sixth, four of another machine,
  /// and a file that is something else.
  private static func writeRuns(to directory: String) throws {
    let run = try Products.shell(
      "cd \(directory) && mkdir runs && echo '{}' > runs/notes.json && "
        + "$UVBENCH run --quick --rounds 1 --duration 0.02 -w then-chain -s callback --in-flight 1 --json one.json"
    )
    try #require(run.code == 0, "\(run.text)")
    let text = try Products.shell("cat \(directory)/one.json").text
    let measured = try LineJSON.value(Results.self, text)
    for index in 0..<14 {
      var results = measured
      results.date = "2026-01-\(index < 9 ? "0" : "")\(index + 1)T00:00:00Z"
      results.method.commit = "commit-\(index)"
      if index >= 10 { results.machine.cpu = "Another processor" }
      let level = index >= 10 ? 2.4 : index >= 5 ? 1.8 : 1.2
      for row in results.results.indices where results.results[row].ratioToC != nil {
        results.results[row].ratioToC?.cpu = level * (1 + 0.001 * Double(index % 3))
      }
      let data = try JSONEncoder().encode(results)
      try data.write(to: URL(filePath: "\(directory)/runs/\(index).json"))
    }
  }
}

extension [Double] {
  fileprivate func repeated(_ count: Int) -> [Double] { (0..<count).flatMap { _ in self } }
}

/// Figures that scatter as a normal distribution does, the same in each run of a test.
private struct Scatter {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func uniform() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (Double(state >> 33) + 0.5) / Double(1 << 31)
  }

  mutating func next() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
}

/// Apache Otava, which `Tests/Suites/Parts/clients` installs.
private enum Otava {
  private static let python = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../.build/clients/bin/python").standardized.path

  static var isThere: Bool {
    (try? Products.shell("\(python) -c 'import otava.analysis'"))?.code == 0
  }

  /// Where it finds changes in each series.
  static func changes(in series: [[Double]], significance: Double, minimum: Double) throws -> [[Int]] {
    try Products.withDirectory { directory in
      let file = directory + "/series.json"
      try JSONEncoder().encode(series).write(to: URL(filePath: file))
      let program = """
        import json, warnings
        warnings.simplefilter("ignore")
        from otava.analysis import compute_change_points
        for series in json.load(open("\(file)")):
            points, _ = compute_change_points(series, max_pvalue=\(significance), min_magnitude=\(minimum))
            print(*[point.index for point in points])
        """
      let output = try Products.shell("\(python) - <<'END'\n\(program)\nEND")
      try #require(output.code == 0, "\(output.text)")
      return output.lines.map { $0.split(separator: " ").compactMap { Int($0) } }
    }
  }
}
