import Testing
import UV
import UVRxStream
import UVTestSupport

/// Throttles, and the operations that they let work in to.
@Suite struct ThrottleTests {
  /// An operation whose answers the test gives.
  private final class Work {
    var answers: [(Result<Int, Never>?) -> Void] = []
    var begun: [Int] = []

    func begin(_ value: Int, _ answer: @escaping (Result<Int, Never>?) -> Void) {
      begun.append(value)
      answers.append(answer)
    }

    func answer(_ index: Int) { answers[index](.success(begun[index])) }
  }

  @Test("A timed throttle does the last of an interval, and the first at once if it isn't to be delayed")
  func timed() async throws {
    let interval = Duration.milliseconds(20)
    try await withCallbackLoop { loop in
      func attempt(_ rest: Int) {
        let input = HotInput<Int, Never>()
        var (delayed, eager, log): ([String], [String], [String]) = ([], [], [])
        func watch(_ delaysFirst: Bool, _ note: @escaping (String) -> Void) {
          input.map { $0 }.throttled(TimedThrottle(interval: interval, delayFirst: delaysFirst))
            .on { note("\($0)") }.onTerminate { note("\($0)") }
        }
        watch(true) { delayed.append($0) }
        watch(false) { eager.append($0) }
        input.on { log.append("\($0)") }
        let begin = loop.clock.now
        for value in 1...5 { input.push(value) }
        // A machine that has other work may take longer for this than the interval, which is over then: once more.
        if begin.duration(to: loop.clock.now) >= interval, rest > 0 {
          input.terminate()
          return attempt(rest - 1)
        }
        #expect(eager == ["1"] && delayed == [])
        input.terminate()
        loop.eventually(delayed == ["5", "completed"] && eager == ["1", "5", "completed"] && log.count == 5)
      }
      attempt(100)
    }
  }

  @Test func `A timed throttle begins at once after a pause, and again after the interval`() async throws {
    let interval = Duration.milliseconds(20)
    try await withCallbackLoop { loop in
      func attempt(_ rest: Int) {
        let input = HotInput<Int, Never>()
        var log: [Int] = []
        input.map { $0 }.throttled(TimedThrottle(interval: interval)).on { log.append($0) }
        input.push(1)
        loop.sleep(for: interval) { _ in
          let begin = loop.clock.now
          input.push(2)
          #expect(log == [1, 2])
          input.push(3)
          // As above.
          if begin.duration(to: loop.clock.now) >= interval, rest > 0 {
            input.terminate()
            return attempt(rest - 1)
          }
          #expect(log == [1, 2])
          loop.eventually(log == [1, 2, 3]) { input.terminate() }
        }
      }
      attempt(100)
    }
  }

  @Test("A pressure throttle lets as much asynchronous work run at a time as its limit, and drops the rest")
  func limit() async throws {
    try await withCallbackLoop { _ in
      let (input, work) = (HotInput<Int, Never>(), Work())
      var results: [Int] = []
      input.asyncMap(work.begin).throttled(PressureThrottle(limit: 2)).on { results.append($0) }
      for value in 0..<6 { input.push(value) }
      #expect(work.begun == [0, 1] && results == [])
      work.answer(0)
      #expect(work.begun == [0, 1] && results == [0])
      input.push(6)
      work.answer(1)
      work.answer(2)
      #expect(work.begun == [0, 1, 6] && results == [0, 1, 6])
      input.terminate()
    }
  }

  @Test func `Work that waits in the buffer begins when other work is done, in its order`() async throws {
    try await withCallbackLoop { _ in
      let (input, work) = (HotInput<Int, Never>(), Work())
      var results: [String] = []
      input.asyncMap(work.begin).throttled(PressureThrottle(buffer: 2, limit: 1))
        .on { results.append("\($0)") }.onTerminate { results.append("\($0)") }
      for value in 0..<4 { input.push(value) }
      input.terminate()
      for index in 0..<3 {
        #expect(work.begun == Array(0...index))
        work.answer(index)
        // A second answer counts for nothing.
        work.answer(index)
      }
      #expect(results == ["0", "1", "2", "completed"])
    }
  }

  @Test func `throttle is for the next operation alone`() async throws {
    try await withCallbackLoop { _ in
      let (input, work) = (HotInput<Int, Never>(), Work())
      var all: [Int] = []
      input.throttle(PressureThrottle(limit: 1)).asyncMap(work.begin)
      input.on { all.append($0) }
      for value in 0..<3 { input.push(value) }
      #expect(work.begun == [0] && all == [0, 1, 2])
      work.answer(0)
      input.terminate()
    }
  }

  @Test func `Work that ends at once never fills a pressure throttle, however much waits`() async throws {
    try await withCallbackLoop { _ in
      let (input, work) = (HotInput<Int, Never>(), Work())
      let throttle = PressureThrottle(buffer: 100_000, limit: 1)
      var count = 0
      input.asyncMap(work.begin).throttled(throttle)
      input.map { $0 }.throttled(throttle).on { _ in count += 1 }
      for value in 0..<50_000 { input.push(value) }
      // Each piece of the one stream lets those of the other in.
      #expect(count == 0)
      while work.answers.count < 50_000 { work.answer(work.answers.count - 1) }
      work.answer(49_999)
      #expect(count == 50_000)
      input.terminate()
    }
  }

  /// Lets every second piece in.
  private final class EverySecond: Throttle {
    private var count = 0

    func process(work: @escaping ThrottledWork) {
      count += 1
      work(count.isMultiple(of: 2) ? .perform {} : .cancel)
    }
  }

  @Test func `Progress is reported as a throttle allows, and the result at once`() async throws {
    try await withCallbackLoop { _ in
      let input = ProgressionInput<Int, String, Never>()
      var log: [String] = []
      let chain = input.throttle(EverySecond())
        .onProgress { log.append("\($0.current)") }
        .on { log.append($0) }
        .onTerminate { log.append("\($0)") }
      for current in 1...4 {
        input.updateProgress(ProgressEvent(title: "work", unit: "pieces", current: current, total: 4))
      }
      #expect(log == ["2", "4"])
      input.complete("done")
      #expect(log == ["2", "4", "done", "completed"])
      #expect(!chain.isActive)
    }
  }

  @Test func `Throttled progress that waits isn't reported after the end, and cancelling cancels the work`()
    async throws
  {
    try await withCallbackLoop { loop in
      let ended = ProgressionInput<Int, String, Never>()
      let cancelled = ProgressionInput<Int, String, Never>()
      var log: [String] = []
      ended.throttle(TimedThrottle(interval: .milliseconds(1), delayFirst: true))
        .onProgress { _ in Issue.record("it has ended") }
        .on { log.append($0) }
      ended.updateProgress(ProgressEvent(title: "work", unit: "pieces", current: 1, total: 4))
      ended.complete("done")
      cancelled.throttle(EverySecond()).cancel()
      #expect(cancelled.state == .terminated(reason: .cancelled))
      loop.sleep(for: .milliseconds(5)) { _ in #expect(log == ["done"]) }
    }
  }

  @Test func `A throttle of one's own decides about each value`() async throws {
    try await withCallbackLoop { _ in
      let input = HotInput<Int, Never>()
      var log: [String] = []
      input.throttled(EverySecond()).on { log.append("\($0)") }.onTerminate { log.append("\($0)") }
      for value in 1...4 { input.push(value) }
      input.terminate()
      #expect(log == ["2", "4", "completed"])
    }
  }
}
