import BenchHarness
import CBenchSupport
import UV

/// A workload that a loop does by itself: timers, files, wake-ups, chains.
struct LoopWorkload: Workload {
  /// What a run is checked against.
  enum Check: Sendable {
    /// Operation `i` adds `bench_share(i, 1)`.
    case counted
    /// The timer ledger decides.
    case timers
    /// Operation `i` adds the size of file `i % 64`; sizes differ.
    case fileSizes
    /// Operation `i` adds the hash of file `i % 64`.
    case fileContents
    /// Operation `i` adds what the server's answer is.
    case answers
    /// Operation `i` adds what another thread has made of its seed.
    case mixed
    /// Operation `i` adds what the three transformations make of its seed.
    case chain
  }

  var name: String
  var summary: String
  var note: String?
  var revision = 1
  var parameters: [Parameter]
  var operationCount: OperationCount = .calibrated
  var isSingleThreaded = true
  /// Which counters of a row depend on timing.
  var timing: @Sendable (WorkloadID) -> Set<Counter> = { _ in [] }
  var check: Check
  /// The reference first.
  var rows: [(style: Style, run: LoopRow)]
  var targets: [Target] = []

  var styles: [Style] { rows.map(\.style) }

  func countersOfTiming(_ id: WorkloadID) -> Set<Counter> { timing(id) }

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance {
    guard let row = rows.first(where: { $0.style == style }) else {
      throw UsageError("\(name) has no style \(style)")
    }
    let server = check == .answers ? try HelloServer(size: parameters["size"]) : nil
    return try LoopInstance(
      check: check, row: row.run, parameters: parameters, directory: context.directory, server: server)
  }
}

/// One style of a `LoopWorkload`.
private final class LoopInstance: WorkloadInstance {
  private let check: LoopWorkload.Check
  private let row: LoopRow
  private let parameters: ParameterValues
  private let directory: String
  /// What a client asks.
  private let server: HelloServer?
  private let latencies = LatencyRecorder()
  private var hashes = [UInt64](repeating: 0, count: Int(BENCH_FILES))
  private var writtenSeed: UInt64?

  init(
    check: LoopWorkload.Check, row: @escaping LoopRow, parameters: ParameterValues,
    directory: String, server: HelloServer?
  ) throws {
    (self.check, self.row, self.parameters, self.directory) = (check, row, parameters, directory)
    self.server = server
  }

  deinit { latencies.destroy() }

  func run(_ request: RunRequest) throws -> RunOutcome {
    latencies.reset()
    try writeFiles(seed: request.seed)
    let otherCPU = place()
    var task = LoopTask(
      operations: request.operations, seed: request.seed, parameters: parameters,
      meter: request.meter, latencies: latencies, ledger: nil, directory: directory,
      port: server?.port ?? 0, otherCPU: otherCPU)
    if case .timers = check {
      task.ledger = TimerLedger(
        operations: request.operations, latencies: latencies, spread: parameters["spread"],
        seed: request.seed)
    }
    defer { task.ledger?.destroy() }
    let report = try row(task)
    let checksum = try task.ledger?.check() ?? report.checksum
    guard checksum == expected(request) else {
      throw WrongWork("the checksum is not that of the work that was asked for")
    }
    return RunOutcome(
      operations: report.operations, checksum: checksum,
      latencies: request.wantsLatencies ? latencies.histogram : nil,
      counters: report.jobs.counters())
  }

  private func writeFiles(seed: UInt64) throws {
    guard seed != writtenSeed else { return }
    let step: UInt64
    switch check {
    case .fileSizes: step = 1
    case .fileContents: step = 0
    default: return
    }
    let size = UInt64(parameters["size"])
    let error = bench_files_write(directory, size, step, seed, &hashes)
    guard error == 0 else {
      throw UsageError("cannot write the files to read below \(directory): error \(error)")
    }
    writtenSeed = seed
  }

  /// `cores=1` puts both threads of a workload on one processor, `cores=2` on two: the loop's and another, or the loop's and the pool's.
  private func place() -> Int32 {
    // The server has the other processor.
    if server != nil {
      bench_pin_thread(bench_usable_cpu(0))
      return -1
    }
    guard let cores = parameters.value("cores") else {
      bench_unpin_thread()
      return -1
    }
    let other = bench_usable_cpu(cores > 1 ? 1 : 0)
    if case .fileContents = check {
      // The pool's threads stay where the thread is that hands over the first job.
      bench_pin_thread(other)
      EventLoop.runCallbacks { $0.files.stat("/") { _ in } }
    }
    bench_pin_thread(bench_usable_cpu(0))
    return other
  }

  private func expected(_ request: RunRequest) -> UInt64 {
    func sum(_ value: (UInt64) -> UInt64) -> UInt64 {
      var sum: UInt64 = 0
      for index in 0..<UInt64(request.operations) { sum &+= bench_share(index, value(index)) }
      return sum
    }
    let files = UInt64(BENCH_FILES)
    switch check {
    case .counted, .timers: return sum { _ in 1 }
    case .fileSizes:
      let size = UInt64(parameters["size"])
      return sum { bench_file_size(UInt32($0 % files), size, 1) }
    case .fileContents: return sum { hashes[Int($0 % files)] }
    case .answers:
      let size = parameters["size"]
      let found = bench_http_found(200, size, bench_http_body(size - 1))
      return sum { _ in found }
    case .mixed: return sum { bench_mix(request.seed &+ $0) }
    case .chain:
      return sum {
        bench_step_three(bench_step_two(bench_step_one(bench_mix(request.seed &+ $0))))
      }
    }
  }
}
