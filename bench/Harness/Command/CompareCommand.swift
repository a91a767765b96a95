import ArgumentParser

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Two runs beside each other, row by row.",
    discussion: """
      Each row gets the change of its processor time, an interval, and a verdict:
      improved, regressed, no change or cannot tell. Where both runs have a c row,
      the change is that of the ratio to c, which leaves out what the machine was
      up to. It informs: to keep a regression out, use `gate`, which measures both
      sides at the same time.

      Exit codes: 0 compared, 2 wrong use or a file that cannot be read, 4 not
      comparable.
      """)

  @Argument(help: "The results of before, written with `run --json`.")
  var before: String

  @Argument(help: "The results of after.")
  var after: String

  @Flag(help: "Compare even if the machines or versions differ; every line says so then.")
  var force = false

  func run() throws {
    let comparison = try Comparison(try ResultsFile.read(before), try ResultsFile.read(after), force: force)
    for line in comparison.lines { print(line) }
  }
}
