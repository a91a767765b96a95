import ArgumentParser

extension HistoryFigure: ExpressibleByArgument {}

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Where figures took a step or drifted over many runs, and between which commits.",
    discussion: """
      Reads what `run --json` wrote over weeks or years, and says where the level of
      a figure changed: E-divisive with a t-test, as Apache Otava does it. A change
      needs some runs after it before it stands out from their scatter; two or three
      where it is large, ten where it is small. A level that was left again after a
      few runs may not be seen. Many small steps in one direction are a drift, which
      Mann and Kendall's test finds over eight runs and more. --since COMMIT shows
      the sum since then, whatever it came from. Runs of different machines, Swift or libuv are never
      joined. Processor time and operations per second are those relative to c, where
      a run has a c row.

      What `gate --json` wrote of programs of your own is followed relative to the
      old program. So a history has one old program, such as your last release, and
      one name (`gate --name`).

      Examples:
        uvbench history bench/results          the files in a folder
        uvbench history --branch results       those of a branch of this repository
        uvbench history a.json b.json c.json -w 'tcp-*' -s async
        uvbench history bench/results --figure p99 --output history.html
        uvbench history gates --fail-within 20
        uvbench history gates --since 3f9c2e7  all that has changed since that commit

      Exit codes: 0 read, whether a level changed or not; 1 worse within
      --fail-within, or since --since beside it; 2 wrong use or no results.
      """)

  @Argument(help: "Files written with `run --json` or `gate --json`, or folders of such files; in any order.")
  var results: [String] = []

  @Option(help: "Read the files of this branch instead, or those in one of its folders: BRANCH:FOLDER.")
  var branch: String?

  @Option(help: "What to follow: cpu, throughput, p50, p99, p99.9 or memory.")
  var figure = HistoryFigure.cpu

  @Option(help: "Show also how far each row has come since the last run of this commit.")
  var since: String?

  @Option(help: "The largest probability of a step as large as this one by chance; above 0, below 0.05.")
  var significance = 0.001

  @Option(help: "The smallest step that counts, in per cent; 0 to 100.")
  var minimum = 3.0

  @Option(
    help:
      "Fail if steps or drifts within so many of the last runs made a figure worse; they need some to be seen. With --since: also if it is worse since then."
  )
  var failWithin: Int?

  @Option(name: .shortAndLong, help: "A page with a chart of each figure.")
  var output: String?

  @OptionGroup var rows: RowOptions

  func validate() throws {
    guard results.isEmpty != (branch == nil) else {
      throw ValidationError("say which results to read: files, folders, or --branch")
    }
    guard significance > 0, significance < 0.05 else {
      throw ValidationError("--significance \(significance) is not above 0 and below 0.05")
    }
    guard (0...100).contains(minimum) else { throw ValidationError("--minimum \(minimum) is not 0 to 100") }
    if let since, since.isEmpty { throw ValidationError("--since needs a commit") }
    if let failWithin, failWithin < 2 {
      throw ValidationError("--fail-within \(failWithin) is not 2 or more")
    }
  }

  func run() throws {
    let runs = try branch.map(ResultsFile.results(ofBranch:)) ?? results.flatMap(ResultsFile.results(at:))
    let histories = History.all(
      runs.compactMap(rows.chosen), figure, significance: significance, minimum: minimum / 100)
    guard !histories.isEmpty else { throw UsageError("there are no results with such rows") }
    if let since, !histories.contains(where: { $0.run(of: since) != nil }) {
      throw UsageError("--since \(since): none of the runs is of that commit")
    }
    for (place, history) in histories.enumerated() {
      if place > 0 { print("") }
      for line in Self.lines(history) { print(line) }
      if let since, let run = history.run(of: since) {
        print("\nsince \(History.name(history.runs[run])):")
        for line in history.table(ofSumsSince: run).text { print(line) }
      }
    }
    if let output { try write(histories, to: output) }
    guard let failWithin, let date = runs.map(\.date).sorted().suffix(failWithin).first else { return }
    let recent = histories.flatMap { $0.worse(since: date, by: minimum / 100) }
    let summed = histories.flatMap { history in
      since.flatMap(history.run).map {
        history.worse(sinceRun: $0, by: minimum / 100, significance: significance)
      } ?? []
    }
    for (worse, when) in [(recent, "within the last \(failWithin) runs"), (summed, "since \(since ?? "")")]
    where !worse.isEmpty {
      print("worse \(when): \(worse.map(\.description).joined(separator: ", "))")
    }
    guard recent.isEmpty, summed.isEmpty else { throw ExitCode(BenchExit.regression.rawValue) }
  }

  private static func lines(_ history: History) -> [String] {
    let (first, last) = (history.runs[0], history.newest)
    let runs =
      history.runs.count == 1
      ? "1 run, \(last.date)" : "\(history.runs.count) runs, \(first.date) to \(last.date)"
    let head = ["\(last.setting): \(runs)"]
    let changes = Figure.number(history.changeCount, "change")
    let sum =
      "\(changes) of \(history.figure.title()) in \(Figure.number(history.series.count, "row"))"
    guard history.changeCount > 0 else { return head + [sum] }
    return head + history.text + [sum]
  }

  private func write(_ histories: [History], to path: String) throws {
    let sections = histories.enumerated().filter { $1.changeCount > 0 }.map { place, history in
      HTMLReport.Section(
        id: "changes-\(place)", title: place == 0 ? "Changes" : "Changes on another machine or version",
        table: history.rows, notes: [])
    }
    try AtomicFile.write(HTMLReport(histories[0].newest, histories, sections: sections).text, to: path)
    RootCommand.complain("wrote \(path): \(Figure.number(histories.reduce(0) { $0 + $1.runs.count }, "run"))")
  }
}
