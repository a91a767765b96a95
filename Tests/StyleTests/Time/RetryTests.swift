#if Everything
import Testing
import UV
import UVPromises
import UVTestSupport

/// Work that is tried again, in every style.
@Suite struct RetryTests {
  private final class Attempts {
    var count = 0
  }

  private struct OwnError: Error {}

  private static let quick = RetryPolicy(attempts: 3, backoff: .none)
  private static let slow = RetryPolicy(attempts: 3, backoff: .constant(.untilCancelled))

  /// A request that fails as often, and then succeeds.
  private static func flaky(_ loop: EventLoop, _ attempts: Attempts, failures: Int) -> Request<Int> {
    Request(loop, operation: "flaky") { (done: @escaping Completion<Int>) in
      attempts.count += 1
      let number = attempts.count
      return loop.sleep(for: .zero) { result in
        done(
          result.flatMap { () -> Result<Int, UVError> in
            number > failures ? .success(number) : .failure(UVError(.connectionRefused, operation: "flaky"))
          })
      }
    }
  }

  @Test("It ends with the first success, or with the last failure", arguments: Style.allCases)
  func ends(style: Style) async throws {
    try await withLoop { loop in
      let (two, three) = (Attempts(), Attempts())
      try await loop.expectEnd(nil, style, Self.flaky(loop, two, failures: 2).retry(Self.quick))
      try await loop.expectEnd(
        .connectionRefused, style, Self.flaky(loop, three, failures: 3).retry(Self.quick))
      #expect(two.count == 3 && three.count == 3)
    }
  }

  @Test("A cancellation during a pause ends it", arguments: Style.allCases)
  func cancelled(style: Style) async throws {
    try await withLoop { loop in
      let (attempts, log) = (Attempts(), Log<UVError.Code?>())
      let cancel = style.start(
        Self.flaky(loop, attempts, failures: 3).retry(Self.slow), on: loop, log)
      try await loop.settle { attempts.count == 1 }
      cancel()
      try await loop.settle()
      // A subscriber that goes hears nothing.
      #expect(log.values == (style == .publisher || style == .future ? [] : [.cancelled]))
      #expect(attempts.count == 1)
    }
  }

  @Test("A cancellation during an attempt is final, and so is an error that the policy doesn't name")
  func final() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let pending = loop.sleep(for: .untilCancelled).retry(Self.quick).start { log.append($0.error!.name) }
      pending.cancel()
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == ["ECANCELED"])
      let attempts = Attempts()
      let policy = RetryPolicy(attempts: 9, backoff: .none) { ($0 as? UVError)?.code != .connectionRefused }
      await expectError(
        .connectionRefused, of: try await Self.flaky(loop, attempts, failures: 9).retry(policy).value)
      #expect(attempts.count == 1)
    }
  }

  @Test func `A limit before it is for each attempt, a limit after it for all`() async throws {
    try await withLoop { loop in
      let attempts = Attempts()
      let stuck = Request<Void>(loop, operation: "stuck") { (done: @escaping Completion<Void>) in
        attempts.count += 1
        return loop.sleep(for: .untilCancelled, done)
      }
      await expectError(
        .timedOut, of: try await stuck.timeout(after: .milliseconds(1)).retry(Self.quick).value)
      #expect(attempts.count == 3)
      await expectError(
        .timedOut, of: try await stuck.retry(Self.quick).timeout(after: .milliseconds(1)).value)
      #expect(attempts.count == 4)
    }
  }

  @Test func `The end of the loop ends a pause with one answer`() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        let attempts = Attempts()
        Self.flaky(loop, attempts, failures: 9).retry(Self.slow).start { log.append($0.error!.name) }
        loop.eventually(attempts.count == 1) { loop.stop() }
      }
    }
    #expect(log.values == ["ECANCELED"])
  }

  @Test func `Asynchronous code is tried again, whatever it throws`() async throws {
    try await withLoop { loop in
      var attempts = 0
      let value = try await loop.retry(Self.quick) {
        try await loop.sleep(for: .zero).value
        attempts += 1
        if attempts < 3 { throw OwnError() }
        return attempts
      }
      #expect(value == 3)
      await #expect(throws: OwnError.self) { try await loop.retry(Self.quick) { throw OwnError() } }
      let task = loop.spawn {
        try await loop.retry(Self.slow) {
          attempts += 1
          throw OwnError()
        }
      }
      try await loop.settle { attempts == 4 }
      task.cancel()
      await #expect(throws: UVError.self) { try await task.value }
      #expect(attempts == 4)
      await #expect(throws: UVError.self) {
        try await loop.withDeadline(.milliseconds(1)) { try await loop.retry(Self.slow) { throw OwnError() } }
      }
    }
  }

  @Test func `Promises take the same policy`() async throws {
    try await withLoop { loop in
      let attempts = Attempts()
      let value = try await UVPromises.retry(Self.quick) {
        Self.flaky(loop, attempts, failures: 2).promise()
      }.async()
      #expect(value == 3)
    }
  }
}
#endif
