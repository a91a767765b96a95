import ArgumentParser

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Which functions the instructions of a row go to, as a table and a flame graph.",
    discussion: """
      Runs a row under valgrind's callgrind, and counts the instructions in user space
      that each function spends on an operation. The counts are nearly the same each
      time, however busy the machine is. What the kernel does isn't in them.

      With another build to compare with, the table has the functions that changed
      most, and in the flame graph those that grew are red and those that shrank blue.

      Examples:
        uvbench profile -w tcp-echo -s async
        uvbench profile -w 'tls-echo' -p size=64 -s future -o future.svg
        uvbench profile -w tcp-echo -s async --base-bin old/uvbench -o growth.svg
        uvbench profile -w then-chain -s promise --against origin/main

      Exit codes: 0 counted; 2 wrong use, or there is no valgrind; 3 the work was
      wrong or a worker died.
      """)

  @OptionGroup(title: "The row")
  var rows: CaseOptions

  @OptionGroup var base: BaseOptions

  @Option(help: "How many functions the table has.")
  var top = 25

  @Option(name: .shortAndLong, help: "Where to draw the flame graph, an SVG file.")
  var output: String?

  func validate() throws {
    guard (1...10_000).contains(top) else { throw ValidationError("--top is 1 to 10000") }
  }

  func run() throws {
    if let output { try AtomicFile.checkWritable(output) }
    let item = try row()
    let workers = try Workers()
    func profile(_ workers: Workers) throws -> CallGraph {
      try InstructionCounter(workers).profile(item, item.styles[0])
    }
    let graph = try profile(workers)
    let other = base.isGiven ? try base.program() : nil
    let old = try other.map { other in
      var workers = workers
      workers.program = other.program
      return try profile(workers)
    }

    let id = item.id(item.styles[0])
    let change =
      old.map { " (\(GateText.percent(graph.total / $0.total - 1)) since \(other?.name ?? ""))" } ?? ""
    print("\(id): \(Figure.count(graph.total)) instructions of an operation, in user space\(change)")
    for line in ProfileTable(graph, since: old, count: top).text { print(line) }
    guard let output else { return }
    let note =
      "\(Figure.count(graph.total)) instructions of an operation, counted by callgrind\(change); point at a function for its figures"
    try AtomicFile.write(FlameGraph(graph, since: old).svg(title: "\(id)", note: note), to: output)
    print("wrote \(output)")
  }

  private func row() throws -> SuitePlan.Case {
    let cases = try rows.cases(quick: true, alsoC: false)
    let ids = cases.flatMap { item in item.styles.map { item.id($0).description } }
    guard ids.count == 1 else {
      throw UsageError(
        "profile takes one row, and \(ids.count) fit: choose by -w, -s and -p; such as \(ids.prefix(3).joined(separator: " or "))"
      )
    }
    guard cases[0].workload.isSingleThreaded else {
      throw UsageError(
        "\(cases[0].workload.name) works on several threads, whose instructions vary from run to run")
    }
    return cases[0]
  }
}
