import Foundation
import Testing
import UV
import UVRxStream
import UVTestSupport

/// What has gone wrong once.
@Suite struct StreamRegressionTests {
  @Test func `On the main thread, work for the main queue that is waited for is done at once`() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let log = Log<Int>()
        Dispatch.sync(on: .main).execute { log.append(1) }
        exit(log.values == [1] ? 0 : 1)
      }
    }
  }

  @Test func `A stream promise is cancelled in the pause before a retry`() async throws {
    try await withCallbackLoop { loop in
      var (runs, log): (Int, [String]) = (0, [])
      let paused = StreamPromise<Int, Trouble> { _, done in
        runs += 1
        done(.failure(.first))
      }
      .retry(3, delay: .seconds(1000)).onTerminate { log.append("paused \($0)") }
      var decide: ((Bool) -> Void)?
      let undecided = StreamPromise<Int, Trouble> { _, done in
        runs += 1
        done(.failure(.first))
      }
      .retryOn { _, _, retry in decide = retry }.onTerminate { log.append("undecided \($0)") }
      loop.sleep(for: .zero) { _ in
        paused.cancel()
        undecided.cancel()
        #expect(log == ["paused cancelled", "undecided cancelled"])
        decide?(true)
        loop.sleep(for: .zero) { _ in #expect(runs == 2) }
      }
    }
  }

  @Test func `A decision about a retry counts once`() async throws {
    try await withCallbackLoop { loop in
      var runs = 0
      StreamPromise<Int, Trouble> { _, done in
        runs += 1
        done(runs == 1 ? .failure(.first) : .success(1))
      }
      .retryOn { _, _, retry in
        retry(true)
        retry(true)
      }
      loop.eventually(runs == 2)
    }
  }

  enum End: CaseIterable { case answered, cancelled, dropped }

  /// Each of two branches of a promise has its task run again.
  @Test("A loop runs until both of two attempts at a stream promise have ended", arguments: End.allCases)
  func twoAttempts(end: End) async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      var attempts: [Future<Int, Trouble>.Promise] = []
      let promise = StreamPromise<Int, Trouble> { _, done in attempts.append(done) }
      for _ in 0..<2 { promise.retry(1).on { log.append($0) } }
      loop.eventually(attempts.count == 1) {
        attempts[0](.failure(.first))
        loop.eventually(attempts.count == 3) {
          switch end {
          case .answered:
            attempts[1](.success(1))
            let last = attempts[2]
            elsewhere { last(.success(2)) }
          case .cancelled: promise.cancel()
          case .dropped: break
          }
          attempts = []
        }
      }
    }
    #expect(log.values == (end == .answered ? [1, 2] : []))
  }

  @Test func `What is pushed from inside goes through a pressure throttle in its turn`() async throws {
    try await withCallbackLoop { loop in
      let input = HotInput<Int, Never>()
      var log: [String] = []
      input.throttled(PressureThrottle(buffer: 9, limit: 2))
        .on { value in
          log.append("\(value)")
          if value == 1 { input.push(11) }
        }
        .onTerminate { log.append("\($0)") }
      for value in 1...4 { input.push(value) }
      input.terminate()
      loop.eventually(log.last == "completed" && log.dropLast().sorted() == ["1", "11", "2", "3", "4"])
    }
  }

  @Test func `A stream that a handler ends delivers nothing more`() {
    let input = HotInput<Int, Never>()
    var log: [String] = []
    input.on { _ in input.terminate() }
    input.on { log.append("\($0)") }.onTerminate { log.append("\($0)") }
    input.push(1)
    #expect(log == ["completed"])
  }

  @Test("Where there is no loop, answers of several threads come one at a time, beside what is pushed")
  func answersWithoutALoop() {
    let count = 5000
    let (input, group) = (HotInput<Int, Trouble>(), DispatchGroup())
    let cold = Cold<Int, Int, Trouble> { request, answer in
      DispatchQueue.global().async(group: group) { answer(.success(request)) }
    }
    // Two at once would lose some.
    var (mapped, replies, isInside, ends) = (0, 0, false, [String]())
    let answers = input.asyncMap { value, answer in
      DispatchQueue.global().async(group: group) { answer(.success(value)) }
    }.on { _ in
      #expect(!isInside)
      isInside = true
      mapped += 1
      isInside = false
    }.onTerminate { ends.append("\($0) \(mapped)") }
    let chain = cold.on { _ in replies += 1 }
    for number in 0..<count {
      input.push(number)
      chain.request(number)
    }
    input.terminate()
    group.wait()
    #expect((mapped, replies) == (count, count))
    #expect(ends == ["completed \(count)"])
    withExtendedLifetime((answers, chain)) {}
  }
}
