import CBenchSupport
import Testing

@testable import BenchHarness

/// `gate` on programs of others.
@Suite struct OutsideTests {
  private func row(_ figure: OutsideFigure, _ shifts: [Double], isServer: Bool = true) -> FigureRow {
    FigureRow(
      figure, shifts.map { OutsideSample(base: 1000, head: 1000 * exp($0), shift: $0) }, smallest: 0.03,
      isServer: isServer)
  }

  /// As many shifts as there are pairs in the beginning, scattered around one.
  private func around(_ shift: Double, count: Int = 8) -> [Double] {
    (0..<count).map { shift + 0.004 * (Double($0 % 4) - 1.5) }
  }

  @Test func aServersPortIsNoneThatTheSystemGivesToOtherPrograms() throws {
    let range = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let first = try #require(range.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) })
    let ports = Set((0..<100).map { _ in Int(bench_free_port()) })
    #expect(ports.count > 80 && ports.allSatisfy { (10_000..<first).contains($0) })
  }

  @Test(arguments: [
    (0.03, GateOutcome.regressed), (0.1, .regressed), (-0.03, .improved), (0, .unchanged),
    (0.005, .unchanged),
  ])
  func theVerdictOnProcessorTimeFollowsFromThePairs(shift: Double, outcome: GateOutcome) throws {
    let row = row(.cpu, around(shift))
    #expect(row.outcome == outcome && row.pairs == 8 && row.confidence == 0.99)
    let (interval, change) = (try #require(row.interval), try #require(row.change))
    #expect(interval[0] <= change && change <= interval[1])
    // Twelve pairs of which the first eight are clear say the same.
    #expect(self.row(.cpu, around(shift) + around(shift, count: 4)).outcome == outcome)
  }

  @Test func fewPairsAndPairsThatDisagreeCannotTell() {
    #expect(row(.cpu, around(0.2, count: 7)).outcome == .inconclusive)
    #expect(row(.cpu, []).outcome == .inconclusive)
    #expect(row(.p999, []).reason == "too few requests")
    #expect(row(.cpu, [0.2, -0.2, 0.2, -0.2, 0.2, -0.2, 0.2, -0.2]).outcome == .inconclusive)
    // One pair that something has disturbed doesn't make a regression.
    #expect(row(.cpu, around(0.03).dropLast() + [-0.2]).outcome == .inconclusive)
  }

  @Test func requestsASecondFallWhenTheirTimeRises() {
    let cells = row(.time, around(0.25)).cells
    #expect(cells[0] == "requests a second" && cells[3].hasPrefix("-22.1% ["), "\(cells)")
    #expect(cells[4] == "regressed")
    #expect(row(.time, around(0.25), isServer: false).cells[3].hasPrefix("+28.4% ["))
  }

  @Test func theTwoFiguresThatAreShownDifferByTheChange() throws {
    // The median of the new ones is a third larger, and no pair differs by that much.
    let pairs: [(Double, Double)] = [
      (200, 204), (205, 208), (210, 213), (228, 232), (290, 302), (300, 306), (310, 314), (305, 311),
      (190, 303),
    ]
    let row = FigureRow(
      .p50, pairs.map { OutsideSample(base: $0.0, head: $0.1) }, smallest: 0.03, isServer: true)
    let (old, new, change) = (try #require(row.base), try #require(row.head), try #require(row.change))
    #expect(abs(new / old - 1 - change) < 1e-9 && change < 0.03 && (200...310).contains(old))
  }

  @Test func aRegressionMustHold() {
    var first = row(.cpu, around(0.05))
    first.confirm(with: row(.cpu, around(0.05)))
    #expect(first.outcome == .regressed && first.confirmation == .regressed)
    first.confirm(with: row(.cpu, around(0)))
    #expect(first.outcome == .inconclusive && first.reason?.contains("unchanged") == true)
  }

  /// As Node's does, whose requests cost much until some thousands are done.
  @Test func aServerIsWarmWhenItsCostHasStoppedFalling() {
    func requests(_ cost: (Double) -> Double) -> Double {
      var (settling, done) = (Settling(least: 0.5e9), 0.0)
      while !settling.isOver {
        settling.note(100 * cost(done), 100)
        done += 100
      }
      return settling.operations
    }
    let node = requests { $0 < 1800 ? 240e3 : max(60e3, 240e3 - ($0 - 1800) * 45) }
    #expect(5800...12000 ~= node)
    #expect(26_000...27_000 ~= requests { _ in 19e3 })
    // One that grows faster for ever is measured all the same.
    #expect(100_000...2_000_000 ~= requests { 50e3 / (1 + $0 / 1e4).squareRoot() })
  }

  /// A container's processor time isn't that of the program that has started it.
  @Test func aServerWhoseProcessorTimeIsNotSeenIsWarmAfterAWhile() {
    let (operations, warming) = Settling.requests(batch: 32e6, least: 0.5e9) { operations in
      ServerUnderTest.Answer(cpu: 0, time: Double(operations) * 100e3, operations: Double(operations))
    }
    #expect(15_000...17_000 ~= operations)
    #expect(200_000...400_000 ~= warming)
  }

  @Test(arguments: [
    ("--server a", "given once"), ("--server a --server b", "what are the servers asked for"),
    ("--server a --server b --load http://127.0.0.1:80/", "needs {port}"),
    ("--command a --command b --load x", "excludes"), ("--command a", "given once"),
    ("--server a --server b --load 'http://127.0.0.1:{port}/' --update", "exclude"),
    ("--command a --command b --smallest 0", "must be above 0"),
    ("--servr a --server b --load http://127.0.0.1:{port}/", "Unknown option '--servr'"),
    ("--unknown", "Unknown option '--unknown'"),
    ("--command a --command b --judge p99", "can't be measured here; what can: cpu, time, memory"),
    (
      "--server a --server b --load curl --judge p99.9", "can't be measured here; what can: cpu, time, memory"
    ),
  ])
  func wrongUseIsExplained(options: String, message: String) throws {
    let output = try Products.shell("$EXAMPLE gate \(options)")
    #expect(output.code == 2 && output.text.contains(message), "\(output.text)")
  }

  #if os(Linux)
    private static let server = "python3 '\(Products.root)/bench/Tests/Gate/SpinningServer.py'"
    private static let hasPython = (try? Products.shell("python3 --version"))?.code == 0
    private static let load = "--load 'http://127.0.0.1:{port}/'"

    /// One of the servers reads the variable `PORT`, and the other one gets its port.
    @Test(.enabled(if: hasPython)) func aServerThatTakesMuchMoreIsFound() throws {
      try Products.withDirectory { directory in
        let output = try Products.shell(
          "cd \(directory) && $EXAMPLE gate --server \"\(Self.server) 0\" --server \"\(Self.server) 400 {port}\""
            + " \(Self.load) --judge cpu --judge memory --judge p99.9 --warm-up 0.02 --latency-seconds 0.02"
            + " --json g.json --markdown g.md --junit g.xml")
        try #require(output.code == 1, "\(output.text)")
        let report = try LineJSON.value(GateReport.self, try Products.shell("cat \(directory)/g.json").text)
        #expect(report.exit == 1 && report.figures.map(\.figure) == [.cpu, .p999, .memory])
        #expect(report.figures[0].outcome == .regressed && report.figures[0].confirmation == .regressed)
        #expect(report.figures[1].reason == "too few requests")
        let line = try #require(output.lines.first { $0.hasPrefix("CPU per request ") })
        #expect(line.hasSuffix("regressed"), "\(output.text)")
        #expect(report.seconds ?? 0 > 0 && report.figures.allSatisfy { $0.seconds ?? 0 > 0 })
        let markdown = try Products.shell("cat \(directory)/g.md").text
        #expect(!markdown.contains("Swift"), "\(markdown)")
        #expect(
          markdown.contains("failed, code 1") && markdown.contains("| CPU per request |"), "\(markdown)")
        let junit = try Products.shell("cat \(directory)/g.xml").text
        #expect(!junit.contains("time=\"0.000\""), "\(junit)")
        #expect(junit.contains("failures=\"1\"") && junit.contains("name=\"CPU per request\""), "\(junit)")
      }
    }

    @Test(
      "A server that answers something else isn't faster: the gate says that it isn't the same work",
      .enabled(if: hasPython),
      arguments: [
        (
          "BODY=", "", "not the same work: the old one answers 200 with 2 bytes, the new one 200 with 0 bytes"
        ),
        ("BODY=ho", "--same bytes", "not the same work: the bytes of the bodies differ"),
      ])
    func anotherAnswer(variable: String, options: String, message: String) throws {
      let output = try Products.shell(
        "$EXAMPLE gate --server \"\(Self.server) 0\" --server \"\(variable) \(Self.server) 0\" \(Self.load) \(options)"
      )
      #expect(output.code == 3 && output.text.contains(message), "\(output.text)")
    }

    @Test func `Answers are alike as far as is asked for, and where they vary if they meet`() throws {
      func work(_ status: ClosedRange<UInt64>, _ length: ClosedRange<UInt64>, _ digest: ClosedRange<UInt64>)
        throws
        -> AnsweredWork
      {
        var counters: [Counter: UInt64] = [:]
        for (name, range) in [("status", status), ("length", length), ("digest", digest)] {
          counters[Counter(rawValue: name + "_low")] = range.lowerBound
          counters[Counter(rawValue: name + "_high")] = range.upperBound
        }
        return try #require(AnsweredWork(counters))
      }
      let old = try work(200...200, 10...12, 1...9)
      let (fixed, other) = (try work(200...200, 11...11, 5...5), try work(200...200, 11...11, 6...6))
      #expect(fixed.difference(from: old, .bytes) == nil)
      #expect(fixed.difference(from: other, .length) == nil && fixed.difference(from: other, .bytes) != nil)
      let longer = try work(200...200, 13...14, 5...5)
      #expect(longer.difference(from: old, .status) == nil)
      #expect(
        longer.difference(from: old, .length)
          == "the old one answers 200 with 10 to 12 bytes, the new one 200 with 13 to 14 bytes")
      let created = try work(201...201, 11...11, 5...5)
      #expect(created.difference(from: old, .status) != nil && created.difference(from: old, .none) == nil)
      #expect(AnsweredWork([:]) == nil)
    }

    @Test(.enabled(if: hasPython && Peer.isHere("curl"))) func aCommandMayBeTheLoad() throws {
      let ask = "curl -s -o /dev/null 'http://127.0.0.1:{port}/?[1-20]' && echo requests=20"
      let output = try Products.shell(
        "$EXAMPLE gate --server \"\(Self.server) 0\" --server \"\(Self.server) 4000\" --load \"\(ask)\" --judge cpu"
      )
      #expect(output.code == 1, "\(output.text)")
      let failing = try Products.shell(
        "$EXAMPLE gate --server \"\(Self.server) 0\" --server \"\(Self.server) 0\" --load 'echo oh {port}; exit 3'"
      )
      #expect(failing.code == 3 && failing.text.contains("ended with code 3; it printed:"), "\(failing.text)")
    }

    @Test(arguments: [
      ("echo no luck; exit 7", "ended with code 7 before it listened"), ("sleep 1000", "doesn't listen"),
    ])
    func aServerThatDoesNotListenIsShownWithWhatItPrinted(command: String, message: String) throws {
      let output = try Products.shell(
        "$EXAMPLE gate --server '\(command)' --server '\(command)' \(Self.load) --start-within 0.5")
      #expect(output.code == 3 && output.text.contains(message), "\(output.text)")
      if command.contains("no luck") { #expect(output.lines.contains("  no luck"), "\(output.text)") }
    }

    /// Also what has left its process group, and what doesn't heed SIGTERM.
    @Test func nothingIsLeftOfTheServersHoweverTheGateEnds() throws {
      try Products.withDirectory { directory in
        let output = try Products.shell(
          """
          cat > \(directory)/server <<'END'
          trap '' TERM
          setsid sleep 1000 & echo $! >> $1
          echo $$ >> $1
          while :; do sleep 0.1; done
          END
          end() {
            ids=\(directory)/$1
            $EXAMPLE gate --server "bash \(directory)/server $ids" --server true \(Self.load) & gate=$!
            until [ "$(cat $ids 2>/dev/null | wc -l)" = 2 ]; do sleep 0.05; done
            kill -$1 $gate; wait $gate; echo "$1: $?"
            for id in $(cat $ids); do
              while [ -e /proc/$id ]; do sleep 0.05; done; echo gone
            done
          }
          # All wait for the same five seconds.
          for signal in INT TERM KILL; do end $signal & done; wait
          """)
        #expect(output.lines.count { $0 == "gone" } == 6, "\(output.text)")
        #expect(output.lines.contains("INT: 130") && output.lines.contains("TERM: 130"), "\(output.text)")
      }
    }

    /// Counts of programs that end repeat, whatever the machine does.
    @Test(.enabled(if: OutsideCounts.missing.isEmpty)) func whatARunCostsIsCounted() throws {
      let few = "i=0; while [ $i -lt 100 ]; do i=$((i+1)); done"
      for (new, code) in [(few, Int32(0)), (few + "; " + few + "; cat /dev/null", 1)] {
        let output = try Products.shell(
          "$EXAMPLE gate --command '\(few)' --command '\(new)' --judge memory --counts")
        #expect(output.code == code, "\(output.text)")
        for counter in ["instructions", "allocations", "allocated_bytes", "system_calls"] {
          #expect(output.lines.contains { $0.hasPrefix(counter + ": ") }, "\(output.text)")
        }
      }
    }

    @Test func programsThatEndAreCompared() throws {
      let spin = "i=0; while [ $i -lt $N ]; do i=$((i+1)); done"
      let output = try Products.shell(
        "$EXAMPLE gate --command 'N=2000; \(spin)' --command 'N=20000; \(spin)' --judge cpu --judge memory")
      #expect(output.code == 1 && output.lines.contains { $0.hasPrefix("CPU per run") }, "\(output.text)")
      let failing = try Products.shell("$EXAMPLE gate --command true --command 'echo oh no; exit 4'")
      #expect(
        failing.code == 3 && failing.text.contains("ended with code 4; it printed:\n  oh no"),
        "\(failing.text)")
    }
  #endif
}
