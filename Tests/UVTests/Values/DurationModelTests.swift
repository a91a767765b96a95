import Testing
import UV

/// Lengths of time as the library counts them, beside arithmetic that knows no short way.
@Suite struct DurationModelTests {
  /// In whole nanoseconds, as far as they fit.
  private func nanoseconds(_ attoseconds: Int128) -> UInt64 {
    UInt64(clamping: max(attoseconds, 0) / 1_000_000_000)
  }

  @Test func `A duration is its whole nanoseconds, whatever its size`() {
    var all: [Int128] = [0]
    for power in 0..<126 { all += [-1, 0, 1].map { (Int128(1) << power) + $0 } }
    for power in 0..<26 {
      let unit = (0..<power).reduce(Int128(1_000_000_000)) { product, _ in product * 10 }
      all += [-1, 0, 1].map { unit + $0 }
    }
    for attoseconds in all + all.map({ -$0 }) {
      let (seconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
      // More seconds than there are can't be written.
      guard let seconds = Int64(exactly: seconds) else { continue }
      let duration = Duration(secondsComponent: seconds, attosecondsComponent: Int64(rest))
      #expect(duration.nanoseconds == nanoseconds(attoseconds), "\(attoseconds) attoseconds")
    }
  }

  @Test func `The library's own codes of errors follow each other below -5000, and each has a name`() {
    let own: [UVError.Code] = [
      .loopClosed, .loopRunning, .sourceStarted, .loopAdopted, .loopForked, .foreignLibuv, .tls,
      .tlsTruncated,
      .abandoned, .unexpectedAnswer,
    ]
    #expect(own.map(\.rawValue) == (1...10).map { -5000 - $0 })
    #expect(Set(own.map(\.name)).count == own.count && own.allSatisfy { !$0.name.contains("-") })
    #expect(Set(own.map(\.message)).count == own.count)
  }
}
