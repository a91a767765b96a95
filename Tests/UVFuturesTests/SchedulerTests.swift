#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

@Suite struct SchedulerTests {
  @Test func delayIsNeverEarly() async throws {
    try await withCallbackLoop { loop in
      let begin = loop.clock.now
      let probe = Probe<Int, Never>()
      Just(1).delay(for: .milliseconds(5), scheduler: loop).subscribe(probe)
      probe.onValue = { _ in #expect(begin.duration(to: loop.clock.now) >= .milliseconds(5)) }
      loop.eventually(probe.values == [1])
    }
  }

  @Test func debounceThrottleTimeoutAndMeasureInterval() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let (debounced, throttled) = (Probe<Int, Trouble>(), Probe<Int, Trouble>())
      let timedOut = Probe<Int, Trouble>()
      var intervals: [EventLoop.SchedulerTimeType.Stride] = []
      subject.debounce(for: .milliseconds(5), scheduler: loop).subscribe(debounced)
      subject.throttle(for: .milliseconds(5), scheduler: loop, latest: true).subscribe(throttled)
      subject.timeout(.milliseconds(20), scheduler: loop, customError: { .first }).subscribe(timedOut)
      let measuring = subject.measureInterval(using: loop)
        .sink(receiveCompletion: { _ in }, receiveValue: { intervals.append($0) })
      for value in 1...3 { subject.send(value) }
      loop.eventually(
        debounced.values == [3] && throttled.values.last == 3 && timedOut.values == [1, 2, 3]
          && timedOut.completions == [.failure(.first)] && intervals.count == 3
      ) {
        measuring.cancel()
        subject.send(completion: .finished)
      }
    }
  }

  @Test func repeatsUntilCancelled() async throws {
    try await withCallbackLoop { loop in
      var count = 0
      var repetition: (any Cancellable)?
      repetition = loop.schedule(after: loop.now, interval: .milliseconds(1)) {
        count += 1
        if count == 3 { repetition?.cancel() }
      }
      loop.eventually(count == 3)
    }
  }

  @Test func `A thread's actions and its messages to the loop stay in their order`() async throws {
    try await withCallbackLoop { loop in
      let scheduler = Box(loop)
      let executor = loop.executor
      let log = Log<Int>()
      loop.work {
        for number in 0..<100 {
          if number % 2 == 0 {
            scheduler.value!.schedule { log.append(number) }
          } else {
            try? executor.execute { _ in log.append(number) }
          }
        }
      } _: { _ in
        loop.eventually(log.values == Array(0..<100))
      }
    }
  }

  @Test func strideArithmetic() {
    typealias Stride = EventLoop.SchedulerTimeType.Stride
    let half: Stride = 0.5
    #expect(half == .milliseconds(500))
    #expect(Stride.seconds(2) + half - .microseconds(500_000) == 2)
    #expect(Stride.seconds(2) * half == 1)
    #expect(-half < 0)
    #expect(Stride.seconds(Int.max) == .nanoseconds(.max))
    #expect(Stride(exactly: UInt64.max) == nil)
    #expect(Stride(.milliseconds(3)).duration == .milliseconds(3))
    let now = EventLoop.SchedulerTimeType(LoopClock.Instant(nanoseconds: 1_000_000_000))
    #expect(now.advanced(by: -half).distance(to: now) == half)
  }

  @Test func `Lengths are held at the longest that there are`() {
    typealias Stride = EventLoop.SchedulerTimeType.Stride
    let numbers = [Int.min, .min / 1000, -1_000_000_007, -1, 0, 1, 1_000_000_007, .max / 1000, .max]
    func held(_ value: Int128) -> Stride { .nanoseconds(Int(clamping: value)) }
    for a in numbers {
      let (one, wide) = (Stride.nanoseconds(a), Int128(a))
      #expect(Stride.microseconds(a) == held(wide * 1000) && Stride.milliseconds(a) == held(wide * 1_000_000))
      #expect(Stride.seconds(a) == held(wide * 1_000_000_000))
      #expect(Stride.seconds(Double(a.signum()) * 1e30) == held(Int128(a.signum()) << 64))
      for b in numbers {
        var (sum, difference) = (one, one)
        sum += .nanoseconds(b)
        difference -= .nanoseconds(b)
        #expect(sum == held(wide + Int128(b)) && difference == held(wide - Int128(b)), "\(a), \(b)")
        #expect((one < .nanoseconds(b)) == (a < b))
      }
    }
  }
}
#endif
