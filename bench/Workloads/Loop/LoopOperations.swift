import BenchHarness
import CBenchSupport
import UV
import UVFutures

/// The operations of a run, as the Swift rows of a workload without a load generator deal
/// them out: numbered in the order of issue, timed, summed up. The window opens with the
/// first and closes with the last.
final class LoopOperations: RowRun {
  /// One operation under way.
  struct Operation {
    /// Its number.
    let index: Int
    /// When it began, or 0 if it is not timed.
    let start: UInt64
  }

  private let task: LoopTask
  private let loop: EventLoop
  /// Whether only some are timed: for operations far below a microsecond.
  var isSampled = false
  /// The one that began last, for a row that has one at a time.
  private(set) var underWay = Operation(index: 0, start: 0)
  private var issued = 0
  private var completed = 0
  private var checksum: UInt64 = 0
  private var jobs = JobCount()
  private var failure: (any Error)?
  /// Held by the future rows.
  var subscription: AnyCancellable?
  /// Begins the next operation, for a row in which what ends one knows nothing else.
  var issue: (() -> Void)?
  /// Called once, when the last operation has ended or one has failed.
  var atEnd: (() -> Void)?

  /// The window isn't open yet.
  init(closed task: LoopTask, on loop: EventLoop) { (self.task, self.loop) = (task, loop) }

  /// Opens the window.
  convenience init(_ task: LoopTask, on loop: EventLoop) {
    self.init(closed: task, on: loop)
    open()
  }

  /// Opens the window.
  func open() {
    jobs = JobCount(loop)
    task.meter.open()
  }

  /// The next operation; nil when enough have been issued, or one has failed.
  func next() -> Operation? {
    if issued == task.operations || failure != nil { return nil }
    issued += 1
    return begin(issued - 1)
  }

  /// Begins the next operation, which is then the one under way; false when enough have been issued, or one
  /// has failed.
  func beginNext() -> Bool {
    guard let operation = next() else { return false }
    underWay = operation
    return true
  }

  /// The operation of that number, for a row whose numbers come from elsewhere.
  func begin(_ index: Int) -> Operation {
    let isTimed = !isSampled || bench_latency_is_sampled(UInt64(index)) != 0
    return Operation(index: index, start: isTimed ? bench_now_ns() : 0)
  }

  /// Ends an operation with what it found.
  func end(_ operation: Operation, _ value: UInt64) {
    if operation.start != 0 { task.latencies.record(since: operation.start) }
    checksum &+= bench_share(UInt64(operation.index), value)
    completed += 1
    guard completed == task.operations else { return }
    task.meter.close()
    jobs = JobCount(loop).since(jobs)
    atEnd.take()?()
  }

  /// Notes the first failure; nothing more is issued.
  func fail(_ error: any Error) {
    if failure == nil { failure = error }
    atEnd.take()?()
  }

  /// The value of a result; nil, and the failure noted, where there is none.
  func value<Value>(_ result: Result<Value, UVError>) -> Value? {
    switch result {
    case .success(let value): return value
    case .failure(let error):
      fail(error)
      return nil
    }
  }

  /// Notes how a pipeline ended.
  func check(_ completion: Subscribers.Completion<UVError>) {
    if case .failure(let error) = completion { fail(error) }
  }

  /// What was done, once the loop has ended.
  func report() throws -> LoopReport {
    if let failure { throw WrongWork("\(failure)") }
    return LoopReport(operations: completed, checksum: checksum, jobs: jobs)
  }
}

extension Bytes {
  /// What the bytes of a file add to the checksum.
  var benchHash: UInt64 { withUnsafeBytes { bench_hash($0.baseAddress, $0.count) } }
}
