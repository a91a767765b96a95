import Synchronization
import Testing

@testable import BenchHarness

@Suite struct MeterTests {
  @Test func nothingIsMeasuredBeforeBothEnds() {
    let meter = Meter()
    #expect(meter.measurement == nil)
    meter.close()
    #expect(meter.measurement == nil)
    meter.open()
    #expect(meter.measurement == nil)
    meter.close()
    #expect(meter.measurement != nil)
  }

  @Test func countersAreReadAtBothEndsAndOnlyOnce() {
    let rising = Rising()
    let meter = Meter(counters: [Meter.Reading(counter: .jobs) { rising.next() }])
    meter.open()
    meter.close()
    let first = meter.measurement
    meter.close()
    #expect(first?.counters == [.jobs: 5])
    #expect(meter.measurement == first)
  }

  @Test func whatOthersHaveUsedTakesThePlaceOfWhatThisProcessHas() {
    let meter = Meter()
    meter.open()
    var others = ProcessUsage.now()
    (others.cpu, others.pageFaults, others.wall) = (7, 3, 0)
    meter.close(others)
    #expect(meter.measurement?.usage.cpu == 7 && meter.measurement?.usage.pageFaults == 3)
    #expect(meter.measurement?.usage.wall ?? 0 > 0)
  }
}

/// A counter that goes up by five whenever it is read.
private final class Rising: Sendable {
  private let value = Mutex<UInt64>(100)

  func next() -> UInt64 {
    value.withLock { value in
      value += 5
      return value
    }
  }
}
