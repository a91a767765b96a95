import ArgumentParser

extension ReportFormat: ExpressibleByArgument {}

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Results as a page or a file for another program.",
    discussion: """
      The page needs nothing from the network. Given several results, the oldest
      first, it shows the history of each row and marks where its level changed.
      The other formats show the last of them.

      Examples:
        uvbench report results.json --output report.html
        uvbench report history/*.json --output report.html
        uvbench report results.json --format markdown
        uvbench report bench/results/peers.json --readme README.md
                                         the chart and the table of the front page
        uvbench report results.json --targets
        uvbench report results.json --format hgrm --output latencies/
                                         a file for each row
      """)

  @Argument(help: "Files written with `run --json`, the oldest first.")
  var results: [String]

  @Option(name: .shortAndLong, help: "html, markdown, csv, jmh, junit or hgrm.")
  var format = ReportFormat.html

  @Option(name: .shortAndLong, help: "Where to write it. (default: standard output)")
  var output: String?

  @Flag(help: "Print each target beside what was measured, and nothing else.")
  var targets = false

  @Option(help: "A page whose part between `<!-- uvbench -->` marks is to show the results of `peers`.")
  var readme: String?

  @Option(help: "With --readme: the list of peers.")
  var peers = "bench/peers/peers.json"

  @OptionGroup var rows: RowOptions

  func run() throws {
    let runs = try results.map { path in
      guard let chosen = rows.chosen(try ResultsFile.read(path)) else {
        throw UsageError("no such row in the results")
      }
      return chosen
    }
    // The parser sees to it that there is one.
    let last = runs[runs.count - 1]
    if targets {
      let table = TargetTable(BenchMain.current.targets, last)
      for line in table.text + [""] + table.notes + Listing.environment(last) { print(line) }
      return
    }
    if let readme { return try writeFrontPage(readme, last) }
    if format == .hgrm, let output, output.hasSuffix("/") || TextFile.isDirectory(output) {
      return try writeEach(last, to: output)
    }
    let text = try format == .html ? page(runs, last) : format.text(runs)
    guard let output else { return print(text, terminator: "") }
    try AtomicFile.write(text, to: output)
    // A stream is read by a program.
    guard !output.hasPrefix("/dev/") else { return }
    let count = Figure.number(last.results.count, "row")
    RootCommand.complain("wrote \(output): \(Figure.number(runs.count, "run")), \(count)")
  }

  /// Writes the chart beside the last of the results, and the table into the page.
  private func writeFrontPage(_ path: String, _ results: Results) throws {
    guard let page = try TextFile.text(of: path), let list = try TextFile.text(of: peers) else {
      throw UsageError("there is no \(path), or no \(peers)")
    }
    let file = self.results.last ?? ""
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    let notes = Dictionary(
      BenchMain.current.workloads.compactMap { workload in workload.note.map { (workload.name, $0) } }
    ) { first, _ in first }
    let front = FrontPage(results, peers: try Peer.list(list), notes: notes, folder: folder)
    for (name, text) in [front.chart, ("README.md", front.results)].compactMap({ $0 }) {
      try AtomicFile.write(text, to: "\(folder)/\(name)")
    }
    try AtomicFile.write(front.inserted(into: page), to: path)
    RootCommand.complain("wrote \(path) and \(folder)/README.md")
  }

  private func page(_ runs: [Results], _ last: Results) -> String {
    let measured = BenchMain.current.targets.filter { target in last.results.contains(where: target.covers) }
    let sections = measured.isEmpty ? [] : [TargetTable(measured, last).section]
    return HTMLReport(runs, sections: sections).text
  }

  private func writeEach(_ last: Results, to directory: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw UsageError("cannot make the directory \(directory)")
    }
    for row in last.results {
      var one = last
      one.results = [row]
      let name = String(row.id.description.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" })
      let path = directory + (directory.hasSuffix("/") ? "" : "/") + name + ".hgrm"
      try AtomicFile.write(try format.text([one]), to: path)
    }
    RootCommand.complain("wrote \(Figure.number(last.results.count, "file")) to \(directory)")
  }
}
