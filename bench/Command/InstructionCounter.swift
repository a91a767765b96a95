import BenchKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Counts instructions in user space under callgrind, which counts the same twice. It
/// writes down its counts whenever a meter opens and closes, so one run under valgrind
/// serves all rows.
struct InstructionCounter {
  private let workers: Workers
  private let scratch: String
  private let program: String

  /// Whether there is a valgrind.
  static var isAvailable: Bool { !Executable.firstLine(of: "command -v valgrind").isEmpty }

  /// A counter that puts its files into `scratch`.
  init(workers: Workers, scratch: String) throws {
    guard Self.isAvailable else {
      throw UsageError("--instructions needs valgrind, which is not installed")
    }
    self.workers = workers
    self.scratch = scratch
    // Valgrind 3.19 cannot read the debug information of recent compilers.
    let stripped = scratch + "/stripped"
    let source = workers.program
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
    var skipped = 0
    var longest = 0.0
    let chosen = cases.filter { $0.workload.isSingleThreaded }
    var figures: [String: CountFigure] = [:]
    for (index, item) in chosen.enumerated() {
      for style in item.styles {
        let id = item.id(style)
        let elapsed = Double(ProcessUsage.now().wall - started) / 1e9
        if let seconds, elapsed + longest > seconds {
          skipped += 1
          continue
        }
        progress.show("instructions of \(id)", share: Double(index) / Double(chosen.count))
        figures[id.description] = CountFigure(
          try slopes(item, id, repetitions),
          ofTiming: item.workload.countersOfTiming(style).contains(.instructions))
        longest = max(longest, Double(ProcessUsage.now().wall - started) / 1e9 - elapsed)
      }
    }
    progress.clear()
    if skipped > 0 {
      RootCommand.complain(
        "not counted, for want of time: the instructions of \(Figure.number(skipped, "row"))")
    }
    return figures
  }

  /// How many operations are counted: of a server so many that it has found its pace.
  private static func operations(_ item: SuitePlan.Case) -> Int {
    if case .parameter = item.workload.operationCount { return 5000 }
    return item.workload.hasOpenLoop ? 2000 : 500
  }

  private func slopes(_ item: SuitePlan.Case, _ id: WorkloadID, _ repetitions: Int) throws -> [Double] {
    let files = scratch + "/callgrind-\(UInt64.random(in: 0...UInt64.max))"
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
    func count(_ operations: Int) throws -> Double {
      let request = WorkerRequest(.count, id, operations: operations, seed: 1)
      _ = try worker.ask(request, within: 600)
      // Two dumps for each run: what was before its window, and its window.
      dumps += 2
      return try Self.total(in: "\(files).\(dumps)")
    }
    let operations = Self.operations(item)
    // The first run pays for what is made once.
    _ = try count(2 * operations)
    return try (0..<repetitions).map { _ in
      let (once, twice) = try (count(operations), count(2 * operations))
      return max(0, (twice - once) / Double(operations))
    }
  }

  /// What callgrind counted in all.
  static func total(in path: String) throws -> Double {
    guard let text = try TextFile.text(of: path) else {
      throw WorkerFailure("callgrind did not write \(path)")
    }
    for line in text.split(separator: "\n") where line.hasPrefix("totals:") || line.hasPrefix("summary:") {
      if let value = Double(line.drop { $0 != " " }.dropFirst()) { return value }
    }
    throw WorkerFailure("callgrind wrote no total to \(path)")
  }
}
