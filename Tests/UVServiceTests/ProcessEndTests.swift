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
  /// Has four loops block all the time, be watched, and report metrics.
  static func observe(until isEnough: @escaping @Sendable (Int) -> Void) throws {
    final class Count: Sendable { let value = Atomic(0) }
    let count = Count()
    let group = try EventLoopGroup(count: 4)
    for executor in group.executors {
      try executor.execute { loop in
        loop.reportMetrics(every: .milliseconds(1), to: NOOPMetricsHandler.instance)
        try? loop.watchStalls(longerThan: .milliseconds(1)) { _ in
          isEnough(count.value.add(1, ordering: .relaxed).newValue)
        }
        func block() {
          let end = loop.clock.now.advanced(by: .milliseconds(3))
          while loop.clock.now < end {}
          loop.sleep(for: .zero) { _ in
            isEnough(count.value.load(ordering: .relaxed))
            block()
          }
        }
        block()
      }
    }
    while count.value.load(ordering: .relaxed) < 40 { usleep(100) }
  }

  @Test func `A process may end while its loops are watched, by exit in a handler or main's return`() async {
    for _ in 0..<10 {
      await #expect(processExitsWith: .success) { try Self.observe { if $0 == 20 { exit(0) } } }
      await #expect(processExitsWith: .success) { try Self.observe { _ in } }
    }
  }
}
