import CBenchSupport

/// Counts instructions in user space under callgrind, which counts the same twice. It writes down its counts
/// whenever a meter opens and closes, so one run under valgrind serves all rows.
struct InstructionCounter {
  private let workers: Workers
  private let program: String

  static var isAvailable: Bool { !Executable.firstLine(of: "command -v valgrind").isEmpty }

  /// A counter that puts its files where the workers do.
  init(_ workers: Workers) throws {
    guard Self.isAvailable else {
      throw UsageError("instructions are counted by valgrind, which is not installed")
    }
    self.workers = workers
    // Valgrind 3.19 cannot read the debug information of recent compilers.
    let source = workers.program
    let folder = workers.directory + "/stripped-\(UInt64.random(in: 0...UInt64.max))"
    let stripped = folder + "/" + (source.split(separator: "/").last ?? "program")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = Executable.firstLine(of: ["objcopy", "--strip-debug", source, stripped], within: 120)
    program = FileManager.default.isExecutableFile(atPath: stripped) ? stripped : source
  }

  /// Instructions per operation of every row that runs on one thread, counted so many times: what
  /// is handed from thread to thread varies by several per cent. Rows that are not reached within
  /// so many seconds are left out, and that is said.
  func count(
    _ cases: [SuitePlan.Case], repetitions: Int = 1, within seconds: Double? = nil
  ) throws -> [String: CountFigure] {
    let progress = Progress()
    defer { progress.clear() }
    let started = ProcessUsage.now().wall
    var longest: UInt64 = 0
    let rows = cases.filter(\.workload.isSingleThreaded)
      .flatMap { item in item.styles.map { (item, item.id($0)) } }
    var figures: [String: CountFigure] = [:]
    for (index, (item, id)) in rows.enumerated() {
      let now = ProcessUsage.now().wall
      if let seconds, Double(now - started + longest) / 1e9 > seconds { continue }
      progress.show("instructions of \(id)", share: Double(index) / Double(rows.count))
      figures[id.description] = CountFigure(
        try slopes(item, id, repetitions),
        ofTiming: item.workload.countersOfTiming(id).contains(.instructions))
      longest = max(longest, ProcessUsage.now().wall - now)
    }
    progress.clear()
    if figures.count < rows.count {
      let skipped = Figure.number(rows.count - figures.count, "row")
      RootCommand.complain("not counted, for want of time: the instructions of \(skipped)")
    }
    return figures
  }

  /// How many operations are counted: of a server so many that it has found its pace.
  private static func operations(_ item: SuitePlan.Case) -> Int {
    if case .parameter = item.workload.operationCount { return 5000 }
    return item.workload.hasOpenLoop ? 2000 : 500
  }

  private func slopes(_ item: SuitePlan.Case, _ id: WorkloadID, _ repetitions: Int) throws -> [Double] {
    let operations = Self.operations(item)
    return try counting(id, warmUp: 2 * operations) { window in
      try (0..<repetitions).map { _ in
        let (once, twice) = try (Self.total(in: window(operations)), Self.total(in: window(2 * operations)))
        return max(0, (twice - once) / Double(operations))
      }
    }
  }

  /// What each function spends on an operation of a row, which must run on one thread.
  func profile(_ item: SuitePlan.Case, _ style: Style) throws -> CallGraph {
    let operations = Self.operations(item)
    return try counting(item.id(style), warmUp: 2 * operations) { window in
      let (once, twice) = (try Self.graph(in: window(operations)), try Self.graph(in: window(2 * operations)))
      return once.slope(to: twice, operations: operations).renamed(Self.demangled)
    }
  }

  /// Starts a worker under callgrind. `body` gets a function that runs so many operations, and returns the
  /// file of what was counted in their window.
  private func counting<Result>(
    _ id: WorkloadID, warmUp: Int, _ body: ((Int) throws -> String) throws -> Result
  ) throws -> Result {
    let files = workers.directory + "/callgrind-\(UInt64.random(in: 0...UInt64.max))"
    var started = workers
    started.program = program
    let valgrind = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=\(files)",
      "--dump-before=bench_hooks_mark", "--log-file=\(files).log",
    ]
    // The same tables of hashes in every process.
    let worker = try WorkerProcess(
      command: valgrind + started.command,
      environment: ["UV_THREADPOOL_SIZE": Workers.threads, "SWIFT_DETERMINISTIC_HASHING": "1"],
      greeting: 120)
    defer { worker.finish() }
    var dumps = 0
    func window(_ operations: Int) throws -> String {
      let request = WorkerRequest(.count, id, operations: operations, seed: 1)
      _ = try worker.ask(request, within: 600)
      // Two dumps for each run: what was before its window, and its window.
      dumps += 2
      return "\(files).\(dumps)"
    }
    // The first run pays for what is made once.
    _ = try window(warmUp)
    return try body(window)
  }

  static func total(in path: String) throws -> Double {
    for line in try text(in: path).split(separator: "\n")
    where line.hasPrefix("totals:") || line.hasPrefix("summary:") {
      if let value = Double(line.drop { $0 != " " }.dropFirst()) { return value }
    }
    throw WorkerFailure("callgrind wrote no total to \(path)")
  }

  private static func graph(in path: String) throws -> CallGraph { CallGraph(callgrind: try text(in: path)) }

  private static func text(in path: String) throws -> String {
    guard let text = try TextFile.text(of: path) else {
      throw WorkerFailure("callgrind did not write \(path)")
    }
    return text
  }

  private static func demangled(_ name: String) -> String {
    guard let result = bench_demangle(name, name.utf8.count) else { return name }
    defer { free(result) }
    return String(cString: result)
  }
}
