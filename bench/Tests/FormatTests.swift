import Foundation
import Testing

@testable import BenchHarness

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Each format, read back.
@Suite struct FormatTests {
  private var results: Results { Self.fixture }

  // Made once: its histograms take seconds in a debug build.
  private static let fixture: Results = {
    func row(_ style: Style, _ scale: Double, size: Int) -> RowResult {
      func answer(_ factor: Double) -> WorkerAnswer {
        var histogram = LatencyHistogram()
        for step in 1...1000 as ClosedRange<UInt64> { histogram.record(step * step) }
        var answer = WorkerAnswer()
        answer.operations = 1000
        answer.wallNanoseconds = UInt64(1e6 * factor)
        answer.cpuNanoseconds = UInt64(5e5 * factor * scale)
        answer.latencies = histogram.sparse
        answer.counters = [.allocations: 2000]
        return answer
      }
      let rounds = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.005]
      var base = rounds.map(answer)
      for index in base.indices { base[index].cpuNanoseconds = UInt64(5e5 * rounds[index]) }
      return RowResult(
        id: WorkloadID(
          workload: "a<b>&\"c\"|d", revision: 1, style: style,
          parameters: ParameterValues(["size": size])),
        operations: 1000, warm: true, answers: rounds.map(answer), reference: base, counts: answer(1))
    }
    return Results(
      date: "2026-01-01T00:00:00Z", machine: Machine.current(), libuv: "1.52.1", swift: "6.3",
      method: Results.Method(
        rounds: 7, windowNanoseconds: 1e8, commit: "abc", build: "release", threadPool: 4,
        pinnedApart: true),
      results: [64, 4096].flatMap { [row(.c, 1, size: $0), row(.async, 1.2, size: $0)] })
  }()

  private func runs(_ factors: [Double]) -> [Results] {
    factors.map { factor in
      var copy = results
      for index in copy.results.indices where copy.results[index].style == .async {
        copy.results[index].ratioToC?.cpu *= factor
        for round in copy.results[index].rounds.indices {
          copy.results[index].rounds[round].cpuNanosecondsPerOperation *= factor
        }
      }
      return copy
    }
  }

  @Test func theXMLIsXML() throws {
    let text = try ReportFormat.junit.text([results])
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(text.contains("tests=\"4\""))
  }

  @Test func theJSONIsJSON() throws {
    let text = try ReportFormat.jmh.text([results])
    let entries = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    for entry in entries {
      let metric = try #require(entry["primaryMetric"] as? [String: Any])
      #expect((metric["rawData"] as? [[Double]])?.first?.count == 7)
    }
    var results = results
    results.method.processes = 3
    let forked = try ReportFormat.jmh.text([results]).filter { !$0.isWhitespace }
    #expect(forked.contains("\"forks\":3"))
  }

  @Test func everyLineOfTheTableHasAsManyFields() throws {
    let text = try ReportFormat.csv.text([results])
    // The name has a comma's worth of trouble in it: quotes.
    let lines = text.split(separator: "\r\n")
    #expect(lines.count == 1 + 4 * 7)
    #expect(lines[1].hasPrefix("\"a<b>&\"\"c\"\"|d\",1,c,64,1,"))
    #expect(Set(lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).count }).count == 1)
    // In a round of half a millisecond the kernel has no tick for either.
    #expect(!text.contains("user_ns_per_op") && text.contains("cpu_ns_per_op"))
    var long = results
    for row in long.results.indices { long.results[row].operations = 1_000_000 }
    let columns = try ReportFormat.csv.text([long]).split(separator: "\r\n")[0].split(separator: ",")
    #expect(columns.contains("user_ns_per_op") && columns.contains("system_ns_per_op"))
  }

  @Test func noTableHasAColumnThatIsEmptyFromTopToBottom() {
    let table = TextTable([["a", "b", "c"], ["1", "", "–"], ["2", "", ""]], words: [0])
    #expect(table.text == ["a", "1", "2"] && table.markdown == "| a |\n| --- |\n| 1 |\n| 2 |\n")
    let page = HTMLReport.Section(id: "x", title: "y", table: table.rows, notes: []).html
    #expect(page.contains(">a<") && !page.contains(">b<") && !page.contains(">c<"))
  }

  @Test func markdownKeepsItsColumns() throws {
    let lines = try ReportFormat.markdown.text([results]).split(separator: "\n").filter { $0.hasPrefix("|") }
    let widths = lines.map { line in
      String(line).replacingOccurrences(of: "\\|", with: "").count { $0 == "|" }
    }
    #expect(lines.count == 6 && Set(widths) == [11])
  }

  @Test func thePageIsSelfContainedAndMarksAStep() throws {
    let page = try ReportFormat.html.text(runs([1, 1.01, 1, 0.99, 1.3, 1.31, 1.3, 1.29]))
    for outside in ["http:", "https:", "src=", "@import", "url(", "<script"] {
      #expect(!page.contains(outside), "\(outside)")
    }
    #expect(page.contains("class=\"step\""))
    #expect(!page.contains("a<b>"))
    for section in ["table", "ratio", "latency", "scale", "history"] {
      #expect(page.contains("<section id=\"\(section)\">"))
    }
    #expect(try !ReportFormat.html.text([results]).contains("class=\"step\""))
  }

  @Test func theDistributionOfOneRow() throws {
    #expect(throws: UsageError.self) { try ReportFormat.hgrm.text([results]) }
    var one = results
    one.results = [results.results[0]]
    let text = try ReportFormat.hgrm.text([one])
    #expect(text.contains("Total count    =         7000]"))
    let points = LatencyHistogram(one.results[0].histogram).points
    #expect(points.last?.share == 1 && points.last?.count == 7000)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.value <= $1.value && $0.share <= $1.share })
  }

  @Test func aComparisonTellsChangesAndRefusesOtherMachines() throws {
    let same = try Comparison(results, results)
    #expect(same.rows.allSatisfy { $0.verdict == .noChange })
    let slower = try Comparison(results, runs([1.1])[0])
    #expect(slower.rows.filter { $0.id.style == .async }.allSatisfy { $0.verdict == .regressed })
    let faster = try Comparison(runs([1.1])[0], results)
    #expect(faster.rows.filter { $0.id.style == .async }.allSatisfy { $0.verdict == .improved })
    var other = results
    other.machine.cores += 1
    #expect(throws: NotComparable.self) { try Comparison(results, other) }
    let forced = try Comparison(results, other, force: true)
    #expect(forced.lines.dropFirst().allSatisfy { $0.contains("different machines") })
    for index in other.results.indices { other.results[index].rounds = [other.results[index].rounds[0]] }
    let short = try Comparison(results, other, force: true)
    #expect(short.rows.allSatisfy { $0.verdict == .cannotTell })
    #expect(short.lines[1].contains("too few rounds (7 and 1; 4 each are needed)"), "\(short.lines[1])")
  }

  @Test func aComparisonSaysAllThatDiffersWithBothValues() throws {
    var other = results
    other.machine.cores = results.machine.cores + 1
    other.swift = "6.4"
    other.method.pinnedApart = false
    let (cores, more) = (results.machine.cores, other.machine.cores)
    let machine = "different machines or versions: cores \(cores) and \(more), Swift 6.3 and 6.4"
    let pinned = "pinned differently: server and load generator a processor each and not pinned apart"
    let error = #expect(throws: NotComparable.self) { try Comparison(results, other) }
    #expect(error?.description.hasPrefix("\(machine); \(pinned). ") == true, "\(String(describing: error))")
    let forced = try Comparison(results, other, force: true)
    #expect(forced.lines.suffix(2) == [machine, pinned])
    #expect(forced.lines[1].hasSuffix("different machines or versions, pinned differently"))
  }

  @Test func aComparisonShowsWhatWasCompared() throws {
    let lines = try Comparison(results, runs([1.1])[0]).lines
    let heading = try #require(lines.first)
    func end(_ title: String) throws -> Int {
      heading.distance(from: heading.startIndex, to: try #require(heading.range(of: title)).upperBound)
    }
    let (absolute, relative) = (try end("CPU/op"), try end("CPU vs c"))
    // Each change stands in the column of what it is a change of.
    for line in lines.dropFirst() {
      let (first, second) = (line.prefix(absolute).last, line.prefix(relative).last)
      #expect(
        line.contains("/async") ? first == " " && second == "%" : first == "%" && second == " ", "\(line)")
      if line.contains("/async") { #expect(line.contains("1.20×  ") && line.contains("1.32×"), "\(line)") }
    }
  }

  @Test func noTwoColumnsHaveOneName() throws {
    func once(_ heading: some StringProtocol, _ name: String) -> Bool {
      heading.components(separatedBy: name).count == 2
    }
    let markdown = try ReportFormat.markdown.text([results]).components(separatedBy: "\n")[2]
    for heading in [ResultTable.lines(results.results)[1], markdown, HTMLReport([results]).text] {
      for name in ["ops/s vs c", "CPU vs c"] { #expect(heading.contains(name), "\(heading.prefix(500))") }
    }
    #expect(once(markdown, "ops/s vs c") && once(markdown, "CPU vs c"))
  }

  @Test func countersGoDownAndStylesAcross() {
    var rows = Array(results.results.prefix(2))
    for row in rows.indices { rows[row].operations = 1_000_000 }
    rows[0].countsPerOperation = [.allocations: 0, .systemCalls: 2, .waits: 0, .marks: 0]
    rows[1].countsPerOperation = [.allocations: 1.5, .systemCalls: 2, .waits: 0, .marks: 0]
    let lines = ResultTable.counterLines(rows).map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(lines.map(\.first) == ["per", "user", "system", "allocations", "system"])
    #expect(lines[0].suffix(2) == ["c", "async"])
    #expect(lines[3].suffix(2) == ["0.00", "1.50"] && lines[4].suffix(2) == ["2.00", "2.00"])
    // Rounds too short for the kernel's ticks say nothing of user and system time.
    for row in rows.indices { rows[row].operations = 1000 }
    #expect(!ResultTable.counterLines(rows).contains { $0.contains("user") })
  }
}
