import UV
import UVTestSupport

/// Timers and signals.
struct TimeWork {
  let loop: EventLoop
  let ledger: Ledger

  func start() {
    loop.sleep(for: .zero, ledger.once("sleep"))
    loop.sleep(for: .milliseconds(1), ledger.once("sleep"))
    loop.sleep(for: .untilCancelled, ledger.once("sleep, cancelled")).cancel()
    loop.sleep(for: .untilCancelled).timeout(after: .milliseconds(1)).start(ledger.once("timeout, meant"))
    let ticks = loop.ticks(every: .milliseconds(1))
    ticks.next(ledger.once("tick") { _ in ticks.next(ledger.once("tick")) })
    if let timer = try? LoopTimer(loop) {
      var fired = 0
      try? timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) {
        fired += 1
        if fired == 2 { timer.close(ledger.once("timer's close")) }
      }
    }
    if let watcher = try? loop.signals(.windowChange) {
      let waiting = watcher.next(ledger.once("signal, cancelled"))
      loop.sleep(
        for: .milliseconds(1),
        ledger.once("sleep") { _ in
          waiting.cancel()
          watcher.close(ledger.once("watcher's close"))
        })
    }
    try? loop.executor.execute { _ in }
  }
}
