#if Everything
import Foundation
import Metrics
import Synchronization
import Testing
import UV
import UVService
import UVStalls
import UVTestSupport

/// The end of a process that is observed.
@Suite struct ProcessEndTests {
  /// Has four loops block all the time, be watched, and report metrics, until twenty stalls were reported.
  ///
  /// - Parameter exits: Whether a handler then ends the process. It does so alone: where two threads call `exit`, or one
  ///   calls it as the program returns from main, there is no defined end.
  static func observe(exits: Bool) throws {
    final class Count: Sendable {
      let value = Atomic(0)
      let isEnough = Atomic(false)
    }
    let count = Count()
    @Sendable func endIfEnough() {
      guard count.value.load(ordering: .relaxed) >= 20 else { return }
      if !count.isEnough.exchange(true, ordering: .relaxed), exits { exit(0) }
    }
    let group = try EventLoopGroup(count: 4)
    for executor in group.executors {
      try executor.execute { loop in
        loop.reportMetrics(every: .milliseconds(1), to: NOOPMetricsHandler.instance)
        try? loop.watchStalls(longerThan: .milliseconds(1)) { _ in
          count.value.add(1, ordering: .relaxed)
          endIfEnough()
        }
        func block() {
          let end = loop.clock.now.advanced(by: .milliseconds(3))
          while loop.clock.now < end {}
          loop.sleep(for: .zero) { _ in
            endIfEnough()
            block()
          }
        }
        block()
      }
    }
    while !count.isEnough.load(ordering: .relaxed) { usleep(100) }
    if exits { sleep(60) }
  }

  @Test func `A process may end while its loops are watched, by exit in a handler or main's return`() async {
    for _ in 0..<10 {
      await #expect(processExitsWith: .success) { try Self.observe(exits: true) }
      await #expect(processExitsWith: .success) { try Self.observe(exits: false) }
    }
  }
}
#endif
