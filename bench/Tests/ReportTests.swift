import Testing

@testable import BenchHarness

@Suite struct ReportTests {
  @Test func columnsAreAsWideAsTheirWidestCell() {
    let rows = [["name", "value", "unused"], ["a", "1", ""], ["longer", "12345678", ""]]
    #expect(
      TextTable(rows, words: [0, 2]).text == ["name       value", "a              1", "longer  12345678"])
  }

  @Test func figuresHaveThreeDigitsAndAUnit() {
    #expect(Figure.count(1_234_567) == "1.23M")
    #expect(Figure.count(999_600) == "1.00M")
    #expect(Figure.count(78.94) == "78.9")
    #expect(Figure.count(0) == "0.00")
    #expect(Figure.whole(59) == "59")
    #expect(Figure.duration(456) == "456 ns")
    #expect(Figure.duration(1234) == "1.23 µs")
    #expect(Figure.duration(-1234) == "-1.23 µs")
    #expect(Figure.bytes(12.34 * 1_048_576) == "12.3 MiB")
    #expect(Figure.ratio(1.239) == "1.24×")
    #expect(Figure.spread(0.0449) == "±4.5%")
    #expect(Figure.spread(0.45) == "±45%")
    #expect(Figure.fixed(-0.001, digits: 2) == "0.00")
    #expect(Figure.fixed(.infinity, digits: 2) == "–")
  }

  private func row(rounds: Int, operations: Int) -> RowResult {
    let answers = (0..<rounds).map { round in
      var answer = WorkerAnswer()
      answer.operations = operations
      answer.wallNanoseconds = 1_000_000
      answer.cpuNanoseconds = UInt64(500_000 + round * 10_000)
      return answer
    }
    return RowResult(
      id: WorkloadID(workload: "w", revision: 1, style: .async, parameters: ParameterValues([:])),
      operations: operations, warm: true, answers: answers, reference: answers, counts: nil)
  }

  @Test(arguments: [(rounds: 1, operations: 1000), (rounds: 3, operations: 23)])
  func aFigureWithTooFewSamplesIsADash(rounds: Int, operations: Int) {
    let text = ResultTable.lines([row(rounds: rounds, operations: operations)]).joined(separator: "\n")
    #expect(!text.contains("×") || text.split(separator: "\n").dropFirst().allSatisfy { !$0.contains("×") })
    #expect(text.contains("±") == (rounds >= 3))
    // A dash beside another row's figure; for a column without any figure, a line that names it.
    #expect(!text.contains("–") && text.contains("not enough samples for ops/s vs c, "))
    let both = [row(rounds: rounds, operations: operations), row(rounds: 3, operations: 1000)]
    let lines = ResultTable.lines(both)
    #expect(lines[2].contains("–") && !lines[2].contains("×") && lines[3].contains("1.00×"))
  }

  @Test func aFigureWithEnoughSamplesIsShown() {
    let text = ResultTable.lines([row(rounds: 3, operations: 1000)]).dropFirst().joined()
    #expect(text.contains("1.00×"))
    #expect(text.contains("±"))
  }

  @Test func aBusyMachineIsNamed() {
    func results(_ others: Double?, stolen: Double? = nil) -> Results {
      var machine = Machine.current()
      machine.cores = 2
      return Results(
        date: "2026-01-01T00:00:00Z", machine: machine, libuv: "1.52.1", swift: "6.3",
        method: Results.Method(
          rounds: 3, windowNanoseconds: 1e8, commit: "abc", build: "release", threadPool: 4,
          pinnedApart: true,
          othersBusy: others, stolen: stolen), results: [])
    }
    #expect(results(nil).busy == nil)
    #expect(results(0.05).busy == nil)
    #expect(
      results(1.3).busy?.hasPrefix("The machine was busy: other programs kept 1.3 of 2 processors") == true)
    #expect(results(0.05, stolen: 0.004).busy == nil)
    #expect(results(nil, stolen: 0.12).busy?.contains("the hypervisor gave 12 % of its time") == true)
    #expect(results(1.3, stolen: 0.12).busy?.contains("meanwhile, and the hypervisor") == true)
  }

  /// Two cases of three rounds, in C and in async.
  private func compared(_ ratios: [(workload: String, ratios: [Double])], c: Double = 1000) -> Results {
    let rows = ratios.flatMap { workload, ratios in
      func answers(_ ratios: [Double]) -> [WorkerAnswer] {
        ratios.map { ratio in
          var answer = WorkerAnswer()
          (answer.operations, answer.wallNanoseconds) = (1000, 1_000_000)
          answer.cpuNanoseconds = UInt64(c * 1000 * ratio)
          return answer
        }
      }
      let reference = answers(ratios.map { _ in 1 })
      return [(Style.c, reference), (.async, answers(ratios))].map { style, answers in
        RowResult(
          id: WorkloadID(workload: workload, revision: 1, style: style, parameters: ParameterValues([:])),
          operations: 1000, warm: true, answers: answers, reference: reference, counts: nil)
      }
    }
    return Results(
      date: "", machine: .current(), libuv: "", swift: "",
      method: Results.Method(
        rounds: 3, windowNanoseconds: 1, commit: "", build: "", threadPool: 4, pinnedApart: true),
      results: rows)
  }

  @Test func theTablesAreSaidInPlainWords() {
    let summary = PlainSummary(
      compared([("other", [1.5, 1.5, 1.5]), ("first", [1.06, 1.1, 1.12])]), headline: "first")
    #expect(
      summary.sentences == [
        "async costs 10 % more processor time than C in first, and 8 to 11 % more in half of the rounds; over 2 cases"
          + " half cost 20 to 40 % more, and other the most, 50 % more.",
        "The rounds of the same row differ by 0 % (half of the rows by 0 to 0 %): smaller differences say nothing.",
      ])
    let less = PlainSummary(compared([("second", [0.96, 0.98, 1.0])]))
    #expect(
      less.sentences.first
        == "async costs 2 % less processor time than C in second, and 3 to 1 % less in half of the rounds."
    )
  }

  @Test func aMultipleIsSaidAsOne() {
    let summary = PlainSummary(compared([("first", [2.0, 2.6, 14]), ("second", [1.4, 1.4, 1.4])]))
    #expect(
      summary.sentences.first
        == "async costs 2.6 times C's processor time in first, and 2.3 to 8.3 times as much in half of the rounds; over 2"
        + " cases half cost 70 % more to 2.3 times as much, and first the most, 2.6 times as much.")
  }

  @Test func `Each style has a bar beside that of C, with its ratio and its quartiles`() {
    let results = compared([("first", [1.0, 1.1, 1.3]), ("second", [30, 30, 30]), ("once", [1])])
    let picture = BarPicture(results, isColored: false)
    let unit = String(repeating: "█", count: 20)
    #expect(
      picture.lines.dropFirst(3) == [
        "first", "  c      \(unit) 1", "  async  \(unit)██ 1.10  1.05 to 1.20", "",
        "second", "  c      \(unit) 1",
        "  async  \(String(repeating: "█", count: 52))▶ 30.0  30.0 to 30.0", "",
      ])
    #expect(BarPicture(results, isColored: true).lines[4].contains("\u{1B}[38;5;245m\(unit)\u{1B}[0m"))
    #expect(BarPicture(compared([("once", [1])]), isColored: false).lines.isEmpty)
  }

  @Test func `A column of dashes isn't printed, and a line says what would fill it`() {
    let few = compared([("first", [1.0, 1.1])]).results
    let text = ResultTable.lines(few)
    #expect(!text.contains { $0.contains("–") })
    #expect(
      text.last?.contains("not enough samples for ops/s vs c, p50, p99, p99.9, max, CPU vs c, above c")
        == true, "\(text)")
    #expect(
      TextTable([["a", "b", "c"], ["1", "–", ""], ["–", "–", ""]], words: []).text == ["a", "1", "–"])
  }

  @Test func whatWasNotComparedIsNotSummedUp() {
    #expect(PlainSummary(compared([])).sentences.isEmpty)
    #expect(PlainSummary(compared([("first", [1.1])])).sentences.isEmpty)
  }
}
