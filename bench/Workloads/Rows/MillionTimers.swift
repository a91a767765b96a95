import BenchKit
import UV
import UVFutures
import UVPromises

/// `million-timers`: start all timers in one turn, let each fire once, release them.
enum MillionTimers: LoopRows {
  static let callback: LoopRow = { task in
    try TimerRun.measure(task) {
      EventLoop.runCallbacks { loop in
        let run = TimerRun(task, on: loop)
        for timer in 0..<task.operations {
          loop.sleep(for: run.start(timer)) { run.end(timer, $0) }
        }
        return run
      }
    }
  }

  static let promise: LoopRow = { task in
    try TimerRun.measure(task) {
      EventLoop.runCallbacks { loop in
        let run = TimerRun(task, on: loop)
        for timer in 0..<task.operations {
          after(run.start(timer)).done { run.end(timer, .success(())) }
        }
        return run
      }
    }
  }

  static let future: LoopRow = { task in
    try TimerRun.measure(task) {
      EventLoop.runCallbacks { loop in
        let run = TimerRun(task, on: loop)
        run.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
          .flatMap { timer in
            loop.sleep(for: run.start(timer)).publisher().map { run.end(timer, .success(())) }
          }
          .sink(receiveCompletion: run.check, receiveValue: {})
        return run
      }
    }
  }

  static let async: LoopRow = { task in
    try TimerRun.measure(task) {
      EventLoop.run { loop in
        let run = TimerRun(task, on: loop)
        for timer in 0..<task.operations {
          loop.spawn {
            do throws(UVError) {
              try await loop.sleep(for: run.start(timer)).value
              run.end(timer, .success(()))
            } catch { run.end(timer, .failure(error)) }
          }
        }
        return run
      }
    }
  }
}

/// What all styles write down of their timers.
private final class TimerRun {
  private let loop: EventLoop
  private let ledger: TimerLedger
  private var jobs: JobCount
  private var failure: UVError?
  /// Held by the future row.
  var subscription: AnyCancellable?

  init(_ task: LoopTask, on loop: EventLoop) {
    guard let ledger = task.ledger else { preconditionFailure("no ledger for the timers") }
    (self.loop, self.ledger) = (loop, ledger)
    jobs = JobCount(loop)
    task.meter.open()
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
  static func measure(_ task: LoopTask, _ body: () -> TimerRun) throws -> LoopReport {
    let run = body()
    task.meter.close()
    if let failure = run.failure { throw WrongWork("\(failure)") }
    return LoopReport(operations: run.ledger.firedCount, checksum: 0, jobs: run.jobs)
  }
}
