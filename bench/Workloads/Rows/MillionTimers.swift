import BenchHarness
import UV
import UVFutures
import UVPromises

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
