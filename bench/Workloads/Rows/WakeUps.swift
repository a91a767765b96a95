import BenchKit
import UV

/// `wakeup`: another thread wakes the loop and waits for its answer.
enum WakeUps {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      // A loop that only waits for other threads would end.
      loop.sleep(for: .seconds(86400)) { _ in }
      let executor = loop.executor
      return Pinger(task) { pinger in
        try? executor.execute { loop in
          if !pinger.answer() { loop.stop() }
        }
      }
    }.checkedReport()
  }

  static let async: LoopRow = { task in
    try EventLoop.run { loop in
      let before = JobCount(loop)
      let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream()
      let pinger = Pinger(task) { _ in wakeUp.yield() }
      for await _ in wakeUps {
        if !pinger.answer() { break }
      }
      return try pinger.checkedReport(jobs: JobCount(loop).since(before))
    }
  }
}

extension Pinger {
  fileprivate func checkedReport(jobs: JobCount = JobCount()) throws -> LoopReport {
    guard var report else { throw WrongWork("the loop ended before the other thread") }
    report.jobs = jobs
    return report
  }
}
