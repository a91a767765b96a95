import BenchHarness
import BenchWaits
import Foundation

/// `doctor --check waits`: runs a ticker of one millisecond beside each style's busiest loop, and prints how
/// late a tick was at most: by the clock, and in processor time of the loop's own thread, which a busy
/// machine doesn't add to. The latter is below 5 ms.
enum WaitsCheck {
  private static let limit = 5.0

  static let check = DoctorCheck("waits", "how late is a timer beside work that never waits") { options in
    var late: [String] = []
    for (name, load) in LongestWait.loads {
      let found = try LongestWait(of: load, for: .milliseconds(Int((options.seconds ?? 1) * 1000)))
      let title = name.padding(toLength: 24, withPad: " ", startingAt: 0)
      print(
        title,
        String(
          format: "%7.2f ms, own %7.2f ms", found.wait.inMilliseconds, found.processorTime.inMilliseconds),
        " \(found.ticks) ticks, \(found.operations) operations")
      if found.processorTime.inMilliseconds >= limit { late.append(name) }
    }
    if !late.isEmpty { print("a timer was late beside: \(late.joined(separator: "; "))") }
    return late.isEmpty
  }
}

extension Duration {
  fileprivate var inMilliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
