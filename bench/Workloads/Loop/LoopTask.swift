import BenchKit
import CBenchSupport

/// What a row is asked to do, for a workload that needs no load generator.
///
/// The row makes its loop, opens `meter`, does the work with `inFlight` operations
/// under way, closes `meter` when the last has completed, and clears up.
public struct LoopTask: Sendable {
  /// How many operations.
  public var operations: Int
  /// What the data follow from.
  public var seed: UInt64
  /// The parameters of the case.
  public var parameters: ParameterValues
  /// The stopwatch.
  public var meter: Meter
  /// Where latencies go.
  public var latencies: LatencyRecorder
  /// Where timers are written down; set for `million-timers`.
  public var ledger: TimerLedger?
  /// Where the files are, for the file workloads.
  public var directory: String
  /// The processor of the other thread of `wakeup`, or -1.
  public var otherCPU: Int32

  /// How many operations are under way at a time.
  public var inFlight: Int { parameters.value("in-flight") ?? 1 }

  /// The paths of the files, in order; operation `i` uses number `i % paths.count`.
  public var paths: [String] {
    (0..<UInt32(BENCH_FILES)).map { index in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
        bench_file_path(buffer.baseAddress, buffer.count, directory, index)
        return String(cString: buffer.baseAddress!)
      }
    }
  }
}

/// What a row did.
public struct LoopReport: Sendable {
  /// How many operations completed.
  public var operations: Int
  /// The sum of `bench_share(index, value)` over them.
  public var checksum: UInt64
  /// Jobs of Swift tasks that the loop had meanwhile.
  public var jobs: JobCount

  /// A report.
  public init(operations: Int, checksum: UInt64, jobs: JobCount = JobCount()) {
    self.operations = operations
    self.checksum = checksum
    self.jobs = jobs
  }
}

/// A row: one style of a workload that needs no load generator.
public typealias LoopRow = @Sendable (LoopTask) throws -> LoopReport
