import Testing

@testable import BenchHarness

/// The table of peers, the targets and the verdicts on growth: figures in, words out.
@Suite struct PeerTests {
  private func row(
    _ style: Style, cpu: [UInt64], base: [UInt64], workload: String = "w", parameters: [String: Int] = [:],
    wall: UInt64 = 1_000_000
  ) -> RowResult {
    // A single value stands for as many equal rounds as a ratio needs.
    func answers(_ values: [UInt64]) -> [WorkerAnswer] {
      (values.count == 1 ? Array(repeating: values[0], count: 3) : values).map { cpu in
        var answer = WorkerAnswer()
        answer.operations = 1000
        answer.wallNanoseconds = wall
        answer.cpuNanoseconds = cpu * 1000
        return answer
      }
    }
    return RowResult(
      id: WorkloadID(
        workload: workload, revision: 1, style: style, parameters: ParameterValues(parameters)),
      operations: 1000, warm: true, answers: answers(cpu), reference: answers(base), counts: nil)
  }

  private func results(_ rows: [RowResult]) -> Results {
    Results(
      date: "2026-01-01T00:00:00Z", machine: Machine.current(), libuv: "1.52.1", swift: "6.3",
      method: Results.Method(
        rounds: 3, windowNanoseconds: 1e8, commit: "abc", build: "release", threadPool: 4, pinnedApart: true),
      results: rows)
  }

  @Test func aListOfPeersIsReadAndWhatIsMissingIsNamed() throws {
    let text = """
      [{"name": "a", "style": "callback", "about": "x", "command": ["sh", "dir/a"], "workloads": ["w"]},
       {"name": "b", "style": "async", "about": "y", "command": ["dir/none"], "workloads": ["w"]},
       {"name": "c", "style": "async", "about": "z", "command": ["no-such-program"], "workloads": []},
       {"name": "d", "style": "async", "about": "z", "command": ["sh"], "needs": "no-such-need", "workloads": []}]
      """
    let peers = try Peer.list(text)
    #expect(peers.map(\.row.rawValue) == ["a", "b", "c", "d"])
    #expect(peers[0].command(in: "/f") == ["sh", "/f/dir/a"])
    #expect(peers.map { $0.missing(in: "/f") } == [nil, "/f/dir/none", "no-such-program", "no-such-need"])
    #expect(throws: UsageError.self) { try Peer.list("[{}]") }
  }

  @Test func oursIsFirstOrItIsSaidWhoIs() throws {
    let peers = [("fast", Style.async), ("slow", .async), ("other", .callback)].map { name, style in
      Peer(name: name, style: style, about: "", command: ["x"], workloads: ["w", "v"])
    }
    let rows = [
      row(.c, cpu: [10], base: [10]), row(.async, cpu: [12], base: [10]),
      row(Style(rawValue: "slow"), cpu: [30], base: [10]),
      row(Style(rawValue: "fast"), cpu: [11], base: [10]),
      row(.callback, cpu: [10], base: [10]), row(Style(rawValue: "other"), cpu: [20], base: [10]),
      row(.async, cpu: [5], base: [10], workload: "v"),
      row(Style(rawValue: "slow"), cpu: [6], base: [10], workload: "v"),
    ]
    let table = PeerTable(rows, peers: peers)
    #expect(table.workloads == ["w", "v"])
    #expect(table.lines.map(\.row.rawValue) == ["c", "callback", "other", "fast", "async", "slow"])
    #expect(
      table.verdicts == [
        "callback: first in w", "async: first in v; behind in w (fast 1.10×, ours 1.20×)",
      ])
    #expect(table.text[2].hasPrefix("callback  callback (ours)"))
    #expect(table.markdown.split(separator: "\n").count == 8)
  }

  @Test func targetsAreMetOrMissedByTheMedian() throws {
    let targets = [
      Target("w", bounds: [.callback: 1.05, .async: 1.2], reasons: [.async: "because"]),
      Target("w", ["n": 7], .throughput, bounds: [.async: 0.9]),
    ]
    let parameters = ["n": 1]
    let measured = results([
      row(.c, cpu: [100, 100, 100], base: [100, 100, 100], parameters: parameters),
      row(.callback, cpu: [100, 105, 140], base: [100, 100, 100], parameters: parameters),
      row(.async, cpu: [110, 121, 140], base: [100, 100, 100], parameters: parameters),
    ])
    let table = TargetTable(targets, measured)
    #expect(table.lines.map(\.isMet) == [true, false, nil])
    #expect(table.lines[0].figures == [1, 1.05, 1.4])
    #expect(table.notes == ["1 of 3 targets met, 1 missed, 1 not measured.", "w n=1, async: because"])
    #expect(table.text.count == 4 && table.text[3].hasSuffix("not measured"))
  }

  @Test func instructionsAreComparedWithThoseAboveC() {
    let target = [Target("w", [:], .instructions, bounds: [.async: 2500])]
    func isMet(_ counted: Double?) -> Bool? {
      var rows = [row(.c, cpu: [1], base: [1]), row(.async, cpu: [1], base: [1])]
      rows[0].countsPerOperation[.instructions] = 300
      rows[1].countsPerOperation[.instructions] = counted
      return TargetTable(target, results(rows)).lines[0].isMet
    }
    #expect(isMet(2800) == true)
    #expect(isMet(2801) == false)
    #expect(isMet(nil) == nil)
  }

  @Test func `A time is compared by itself, or as what a case adds to another of its style`() {
    func figures(_ target: Target) -> [Double] {
      let rows = [
        row(.async, cpu: [200, 210, 190], base: [1, 1, 1], parameters: ["limited": 0]),
        row(.callback, cpu: [100, 110, 90], base: [1, 1, 1], parameters: ["limited": 0]),
        // A round more than the other case had time for.
        row(.callback, cpu: [300, 330, 350, 999], base: [1, 1, 1, 1], parameters: ["limited": 1]),
      ]
      return TargetTable([target], results(rows)).lines[0].figures
    }
    let bounds: [Style: Double] = [.callback: 230]
    #expect(figures(Target("w", ["limited": 0], .nanoseconds, bounds: bounds)) == [100, 110, 90])
    let added = Target("w", ["limited": 1], .nanoseconds, above: ["limited": 0], bounds: bounds)
    #expect(figures(added) == [200, 220, 260])
    // What it is compared with was not measured.
    #expect(figures(Target("w", ["limited": 1], .nanoseconds, above: ["limited": 2], bounds: bounds)) == [])
    let rows = [
      row(.callback, cpu: [100], base: [1], parameters: ["limited": 0]),
      row(.callback, cpu: [331], base: [1], parameters: ["limited": 1]),
    ]
    let table = TargetTable([added], results(rows))
    #expect(table.lines[0].isMet == false)
    #expect(table.text[1].contains("CPU ns/op above limited=0") && table.text[1].contains("≤ 230"))
  }

  @Test func `A tail is compared with that of another case of its style`() {
    func isMet(_ first: UInt64?, _ second: UInt64?) -> Bool? {
      // The first is that of another number of connections.
      var rows = [(1, 0), (50, 0), (50, 1)].map { connections, greedy in
        row(.async, cpu: [1], base: [1], parameters: ["connections": connections, "greedy": greedy])
      }
      rows[0].rounds[0].latency.p99 = 1
      (rows[1].rounds[0].latency.p99, rows[2].rounds[0].latency.p99) = (first, second)
      let target = Target("w", ["greedy": 1], .tail, above: ["greedy": 0], bounds: [.async: 2])
      return TargetTable([target], results(rows)).lines[0].isMet
    }
    #expect(isMet(1000, 2000) == true)
    #expect(isMet(1000, 2001) == false)
    // There were too few samples.
    #expect(isMet(1000, nil) == nil)
  }

  @Test func bytesThatAreHeldAreToBeNoMore() {
    func isMet(_ bytes: Double) -> Bool? {
      var row = row(.async, cpu: [1], base: [1])
      row.countsPerOperation[.heldBytes] = bytes
      return TargetTable([Target("w", [:], .bytes, bounds: [.async: 1800])], results([row])).lines[0].isMet
    }
    #expect(isMet(1800) == true)
    #expect(isMet(1801) == false)
  }

  @Test func throughputIsToBeNoLess() {
    let target = [Target("w", [:], .throughput, bounds: [.async: 0.95])]
    func isMet(_ wall: UInt64) -> Bool? {
      let rows = [row(.c, cpu: [1], base: [1]), row(.async, cpu: [1], base: [1], wall: wall)]
      return TargetTable(target, results(rows)).lines[0].isMet
    }
    #expect(isMet(1_040_000) == true)
    #expect(isMet(1_060_000) == false)
  }

  @Test(
    arguments: [
      ([100, 101, 102], false), ([104, 105, 106], false), ([110, 111, 112], true), ([80, 112, 113], false),
    ] as [([UInt64], Bool)])
  func aRatioGrowsWhenItStandsApart(large: [UInt64], grows: Bool) throws {
    let workload = Scaled()
    let scaling = Scaling(
      workload: workload, axes: [Scaling.Axis("n", [1, 11], with: [:])], descriptors: "n", latency: ["n": 1])
    let base: [UInt64] = [100, 100, 100]
    let rows = [
      row(.c, cpu: base, base: base, parameters: ["n": 1]),
      row(.async, cpu: [99, 100, 101], base: base, parameters: ["n": 1]),
      row(.c, cpu: base, base: base, parameters: ["n": 11]),
      row(.async, cpu: large, base: base, parameters: ["n": 11]),
    ]
    let table = ScaleTable(scaling, results(rows))
    let line = try #require(table.lines.first { $0.style == .async })
    #expect(line.grows == grows)
    let verdict = try #require(table.verdicts.first)
    #expect(verdict.contains(grows ? "the ratio to c grows with n" : "does not grow with n"), "\(verdict)")
    #expect(table.section().html.contains("<svg"))
  }

  @Test func pointsAboveTheLimitBecomeTheLimit() {
    let axes = [
      Scaling.Axis("n", [1, 10, 100, 1000], quick: [1, 1000], with: ["m": 1]),
      Scaling.Axis("m", [1, 2], with: ["n": 1]),
    ]
    let scaling = Scaling(workload: Scaled(), axes: axes, descriptors: "n", latency: [:])
    func names(quick: Bool) -> [String] {
      scaling.cases(styles: [.c], quick: quick, limit: 50).map(\.parameters.description)
    }
    #expect(names(quick: false) == ["m=1 n=1", "m=1 n=10", "m=1 n=50", "m=2 n=1"])
    #expect(names(quick: true) == ["m=1 n=1", "m=1 n=50", "m=2 n=1"])
  }

  @Test func theTailIsComparedWithThatOfC() {
    func open(_ style: Style, _ p99: UInt64, saturated: Bool = false) -> RowResult {
      var row = row(style, cpu: [1], base: [1])
      row.arrivals = Arrivals(rate: 1000)
      row.saturated = saturated
      row.pooledLatency.p99 = p99
      return row
    }
    #expect(
      LatencyVerdict.lines([open(.c, 100), open(.callback, 125), open(.async, 126)]) == [
        "callback: p99 1.25× of c's, within 1.25×", "async: p99 1.26× of c's, above 1.25×",
      ])
    #expect(LatencyVerdict.lines([open(.c, 100), open(.async, 1, saturated: true)])[0].contains("saturated"))
    #expect(LatencyVerdict.lines([row(.c, cpu: [1], base: [1]), row(.async, cpu: [1], base: [1])]).isEmpty)
  }

  @Test func `Bars of a chart have as much room as the names, and more`() throws {
    for name in ["c", "a name that is as long as names of programs are, and longer"] {
      let chart = BarChart(title: "t", note: "n", bars: [(name, 0, 1, 1, 1), (name, 5, 4, 4, 4)]).file
      let bar = try #require(chart.firstMatch(of: /width="([0-9.]+)" class="s5"/))
      let whole = try #require(chart.firstMatch(of: /<svg [^>]*width="([0-9.]+)"/))
      #expect(Double(bar.1)! > 0.4 * Double(whole.1)!)
    }
  }

  @Test func quartilesAreDrawnWhereThereAreSome() {
    func marks(_ low: Double, _ high: Double) -> Int {
      let bars = [(name: "c", place: 0, ratio: 1.0, low: low, high: high)]
      return BarChart(title: "t", note: "n", bars: bars).file.components(separatedBy: "class=\"axis\"").count
        - 1
    }
    #expect(marks(0.9, 1.2) == 3 && marks(1, 1) == 0)
  }

  @Test func theFrontPageShowsTheResultsBetweenItsMarks() throws {
    let peers = [
      Peer(
        name: "other", style: .async, about: "Another loop", command: ["x"], workloads: ["w"],
        isOnFrontPage: true),
      Peer(name: "third", style: .async, about: "A third", command: ["x"], workloads: ["w"]),
    ]
    let rows = [
      row(.c, cpu: [10, 10, 10], base: [10, 10, 10]), row(.async, cpu: [12, 12, 12], base: [10, 10, 10]),
      row(Style(rawValue: "other"), cpu: [30, 30, 30], base: [10, 10, 10]),
      row(Style(rawValue: "third"), cpu: [40, 40, 40], base: [10, 10, 10]),
    ]
    let notes = ["w": "C is quick"]
    let front = FrontPage(results(rows), peers: peers, notes: notes, folder: "bench/results")
    #expect(front.chart?.name == "w.svg")
    let chart = front.chart?.text ?? ""
    // Readable where neither variables nor media queries are known.
    #expect(chart.contains("prefers-color-scheme: dark") && !chart.contains("var("))
    #expect(chart.contains("class=\"s4\" fill=\"#a21c6b\"") == false, "our own rows have one colour")
    #expect(
      chart.contains("class=\"s1\" fill=\"#0860b5\"") && chart.contains("class=\"s0\" fill=\"#59636e\""))
    #expect(
      chart.components(separatedBy: "class=\"s5\" fill=\"#98a1ab\"").count == 3, "others share a neutral one")
    #expect(chart.contains("Another loop"))
    let page = "a\n<!-- uvbench -->\nold\n<!-- /uvbench -->\nb\n"
    let written = try front.inserted(into: page)
    #expect(written.hasPrefix("a\n<!-- uvbench -->\n![Processor time"))
    #expect(written.contains("| **swift-uv, async** | 1.20 |\n| Another loop | 3.00 |\n\nIn `w`,"))
    #expect(written.contains("2026-01-01"))
    #expect(written.hasSuffix("<!-- /uvbench -->\nb\n"))
    #expect(!written.contains("old"))
    // The others are on the page of all results, with C.
    #expect(written.contains("async/await takes **1.20** of the processor time of C"))
    #expect(!written.contains("A third") && !written.contains("| C on libuv |"))
    #expect(front.results.contains("| A third | 4.00 |") && front.results.contains("| C on libuv | 1.00 |"))
    #expect(!front.results.contains("!["))
    #expect(try front.inserted(into: written) == written)
    #expect(throws: UsageError.self) { try front.inserted(into: "no marks") }
  }

  @Test func `The front page has the workloads by which a reader chooses, and the other page has all`() {
    let names = ["own-cost", "second", "first"]
    let rows = names.flatMap { name in
      [
        row(.c, cpu: [10, 10, 10], base: [10, 10, 10], workload: name),
        row(.async, cpu: [12, 12, 12], base: [10, 10, 10], workload: name),
      ]
    }
    let front = FrontPage(results(rows), peers: [], workloads: ["first", "second"], folder: "bench/results")
    #expect(front.markdown.contains("| processor time, C on libuv = 1 | first | second |"))
    #expect(!front.markdown.contains("own-cost"))
    #expect(front.results.contains("own-cost") && front.chart?.name == "first.svg")
  }

  @Test
  func `Of a workload with several parameters the front page has the first, and no row without a figure`() {
    func both(_ parameters: [String: Int]) -> [RowResult] {
      [(Style.c, UInt64(10)), (.async, 12)].map { style, cost in
        row(
          style, cpu: [cost, cost, cost], base: [10, 10, 10], workload: "hello", parameters: parameters)
      }
    }
    let peer = Peer(
      name: "other", style: .async, about: "Another", command: ["x"], workloads: ["other"],
      isOnFrontPage: true)
    let other = row(Style(rawValue: "other"), cpu: [5, 5, 5], base: [10, 10, 10], workload: "other")
    let rows = both(["size": 13]) + both(["size": 65536]) + [other]
    let front = FrontPage(results(rows), peers: [peer], workloads: ["hello"], folder: "bench/results")
    #expect(front.markdown.contains("| processor time, C on libuv = 1 | hello |\n"))
    #expect(!front.markdown.contains("Another"))
    #expect(front.results.contains("hello size=65536") && front.results.contains("Another"))
  }
}

private struct Scaled: Workload {
  let name = "w"
  let summary = "whatever"
  let styles: [Style] = [.c, .async]

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance { throw WrongWork("it is never run") }
}
