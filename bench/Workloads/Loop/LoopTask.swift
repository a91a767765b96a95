import BenchHarness
import CBenchSupport

/// What a row is asked to do, for a workload that needs no load generator.
///
/// The row makes its loop, opens `meter`, does the work with `inFlight` operations
/// under way, closes `meter` when the last has completed, and clears up.
struct LoopTask: Sendable {
  var operations: Int
  var seed: UInt64
  var parameters: ParameterValues
  var meter: Meter
  var latencies: LatencyRecorder
  /// Where timers are written down, if that is what is checked.
  var ledger: TimerLedger?
  /// Where the files are, for the file workloads.
  var directory: String
  /// Where the server of `http-client` listens.
  var port: UInt16
  /// The processor of the other thread of `wakeup`, or -1.
  var otherCPU: Int32

  var inFlight: Int { parameters.value("in-flight") ?? 1 }

  /// The paths of the files, in order; operation `i` uses number `i % paths.count`.
  var paths: [String] {
    (0..<UInt32(BENCH_FILES)).map { index in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
        bench_file_path(buffer.baseAddress, buffer.count, directory, index)
        return String(cString: buffer.baseAddress!)
      }
    }
  }
}

/// What a row did.
struct LoopReport: Sendable {
  var operations: Int
  /// The sum of `bench_share(index, value)` over them.
  var checksum: UInt64
  /// Jobs of Swift tasks that the loop had meanwhile.
  var jobs = JobCount()
}

/// A row: one style of a workload that needs no load generator.
typealias LoopRow = @Sendable (LoopTask) throws -> LoopReport
