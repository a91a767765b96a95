import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: start a timer with `ledger.delay(i)`, let it fire once, release it. Under way: all: every timer starts in one turn, in
  /// order of index, before any fires. Checked: each fired once; none early by the loop's own clock; in the order of deadlines, equal ones
  /// in the order of starting. A latency is firing minus deadline.
  static let millionTimers = LoopWorkload(
    name: "million-timers", summary: "start a timer, let it fire once, release it",
    parameters: [
      Parameter("timers", 1_000_000, quick: 100_000, in: 1...10_000_000, help: "how many timers at a time"),
      Parameter(
        "spread", 0, in: 0...60_000, help: "random delays up to so many ms; 0: 1000 timers to each ms"),
    ],
    operationCount: .parameter("timers"), check: .timers,
    rows: MillionTimers.rows(beside: "million-timers"),
    targets: [
      Target(
        "million-timers", ["spread": 0], bounds: [.callback: 0.80, .async: 3.2, .promise: 1.5, .future: 2.0],
        reasons: [
          .async:
            "the runtime's task: 6,030 instructions, 1,350 bytes and 2.4 times C's time for one that waits once",
          .promise: "4 allocations for each timer, all of them at the same time in memory",
          .future: "3 allocations for each timer, all of them at the same time in memory",
        ])
    ])
}

/// `million-timers`: start all timers in one turn, let each fire once, release them.
enum MillionTimers: LoopRows {
  static let callback = TimerRun.callbacks { run, task, loop in
    for timer in 0..<task.operations {
      loop.sleep(for: run.start(timer)) { run.end(timer, $0) }
    }
  }

  static let promise = TimerRun.callbacks { run, task, _ in
    for timer in 0..<task.operations {
      after(run.start(timer)).done { run.end(timer, .success(())) }
    }
  }

  static let future = TimerRun.callbacks { run, task, loop in
    run.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
      .flatMap { timer in
        loop.sleep(for: run.start(timer)).publisher().map { run.end(timer, .success(())) }
      }
      .sink(receiveCompletion: run.check, receiveValue: {})
  }

  static let async = TimerRun.task { run, task, loop in
    for timer in 0..<task.operations {
      loop.spawn {
        do throws(UVError) {
          try await loop.sleep(for: run.start(timer)).value
          run.end(timer, .success(()))
        } catch { run.end(timer, .failure(error)) }
      }
    }
  }
}

/// What all styles write down of their timers.
private final class TimerRun: RowRun {
  private let loop: EventLoop
  private let meter: Meter
  private let ledger: TimerLedger
  private var jobs: JobCount
  private var failure: UVError?
  /// Held by the future row.
  var subscription: AnyCancellable?

  init(_ task: LoopTask, on loop: EventLoop) {
    guard let ledger = task.ledger else { preconditionFailure("no ledger for the timers") }
    (self.loop, self.ledger, meter) = (loop, ledger, task.meter)
    jobs = JobCount(loop)
    meter.open()
  }

  /// Notes that a timer starts now, and says how long it runs.
  func start(_ timer: Int) -> Duration {
    let delay = ledger.delay(timer)
    ledger.started(timer, now: now, delay: delay)
    return .milliseconds(delay)
  }

  /// Notes that a timer has fired.
  func end(_ timer: Int, _ result: Result<Void, UVError>) {
    if case .failure(let error) = result { failure = error }
    if ledger.fired(timer, now: now) { jobs = JobCount(loop).since(jobs) }
  }

  /// Notes how a pipeline ended.
  func check(_ completion: Subscribers.Completion<UVError>) {
    if case .failure(let error) = completion { failure = error }
  }

  /// The loop's time, in milliseconds.
  private var now: UInt64 { loop.now.nanoseconds / 1_000_000 }

  /// The window ends when the loop has gone, and with it the memory of the timers.
  func report() throws -> LoopReport {
    meter.close()
    if let failure { throw WrongWork("\(failure)") }
    return LoopReport(operations: ledger.firedCount, checksum: 0, jobs: jobs)
  }
}
