import Testing

@testable import UV

/// The forms in which durations go to the system and to people, beside arithmetic that knows no short way.
@Suite struct DurationFormTests {
  /// Around each power of ten, from a nanosecond on, and multiples that end within a unit.
  private static let nanoseconds: [Int128] = {
    var all: [Int128] = [0]
    for power in 0..<20 {
      let unit = (0..<power).reduce(Int128(1)) { product, _ in product * 10 }
      for factor in [1, 2, 5] { all += [-1, 0, 1].map { unit * Int128(factor) + $0 } }
    }
    return all + all.map { -$0 }
  }()

  private func duration(_ nanoseconds: Int128, _ attoseconds: Int128 = 0) -> Duration {
    Duration(attoseconds: nanoseconds * 1_000_000_000 + attoseconds)
  }

  @Test func `A file's time is the nanosecond at or before it, on both sides of 1970`() {
    for number in Self.nanoseconds {
      // Rounding towards less, as the nanosecond before.
      for (more, expected) in [(Int128(0), number), (1, number), (-1, number - 1)] {
        let second = expected >= 0 ? expected / 1_000_000_000 : (expected - 999_999_999) / 1_000_000_000
        guard let wanted = Int(exactly: second) else { continue }
        // Seconds and nanoseconds, by their places, since the type is of another module than this file's.
        let time = withUnsafeBytes(of: duration(number, more).timespec) { fields in
          (seconds: fields.load(as: Int.self), nanoseconds: fields.load(fromByteOffset: 8, as: Int.self))
        }
        #expect(time.seconds == wanted, "\(number) ns")
        // The fraction of a nanosecond may go either way, but never over a second.
        let rest = Int(expected - second * 1_000_000_000)
        let isNear = abs(time.nanoseconds - rest) <= (more == 0 ? 0 : 1)
        #expect(0..<1_000_000_000 ~= time.nanoseconds && isNear, "\(number) ns")
      }
    }
  }

  @Test func `libuv's milliseconds are never less than the duration, and less than one more`() {
    for number in Self.nanoseconds {
      for more in [Int128(0), 1] {
        let attoseconds = number * 1_000_000_000 + more
        let unit = Int128(1_000_000_000_000_000)
        let expected = attoseconds <= 0 ? 0 : (attoseconds + unit - 1) / unit
        #expect(duration(number, more).milliseconds == UInt64(clamping: expected), "\(number) ns")
      }
    }
    #expect(Duration.seconds(Int64.max).milliseconds == .max && Duration.seconds(Int64.min).milliseconds == 0)
  }

  @Test(arguments: [
    (Int64(0), "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (1099, "1.0 s"), (1100, "1.1 s"),
    (59_999, "59.9 s"),
    (60_000, "1 min 0 s"), (61_999, "1 min 1 s"), (3_599_999, "59 min 59 s"), (3_600_000, "1 h 0 min"),
    (3_660_000, "1 h 1 min"), (86_399_999, "23 h 59 min"), (86_400_000, "1 d 0 h"), (90_000_000, "1 d 1 h"),
    (-5, "0 ms"),
  ])
  func `People read a duration in its two largest units`(milliseconds: Int64, text: String) {
    #expect(Duration.milliseconds(milliseconds).text == text)
    // From ten milliseconds on, the short form is the same.
    if milliseconds >= 10 { #expect(Duration.milliseconds(milliseconds).shortText == text) }
  }

  @Test(arguments: [
    (Int64(0), "0 µs"), (1, "1 µs"), (999, "999 µs"), (1000, "1.0 ms"), (1290, "1.2 ms"), (9999, "9.9 ms"),
    (10_000, "10 ms"), (11_999, "11 ms"),
  ])
  func `The short form has microseconds and tenths of milliseconds`(microseconds: Int64, text: String) {
    #expect(Duration.microseconds(microseconds).shortText == text)
  }

  @Test func `A moment of the clock is moved and measured in both directions, and stays within its range`() {
    typealias Instant = LoopClock.Instant
    for start in [UInt64(0), 1, 999, 1_000_000_000, 1 << 40, .max - 1, .max] {
      for number in Self.nanoseconds {
        let moved = Instant(nanoseconds: start).advanced(by: duration(number))
        #expect(moved.nanoseconds == UInt64(clamping: Int128(start) + number), "\(start) by \(number) ns")
        let back = Int128(moved.nanoseconds) - Int128(start)
        #expect(Instant(nanoseconds: start).duration(to: moved) == duration(back))
        #expect((Instant(nanoseconds: start) < moved) == (back > 0))
      }
    }
  }
}
