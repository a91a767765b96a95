import Testing
import UV
import UVTestSupport

/// Requests with a limit, with further attempts, or both: whatever kind of work is beneath, there is one answer, and the
/// work is begun as often as it should be.
@Suite struct CombinedRequestTests {
  /// Kinds of work, by when they answer and what a cancellation does to them.
  enum Work: CaseIterable, Sendable {
    /// Fails later, and can't be cancelled.
    case uncancellable
    /// Answers `cancelled` within its cancellation.
    case answersInCancel
    /// Answers `cancelled` a microtask after its cancellation.
    case answersLater
    /// Ignores its cancellation, and fails a little later.
    case ignoresCancel
    /// Fails as it starts.
    case failsAtOnce
    /// Fails in a microtask, with nothing to cancel.
    case failsSoon
  }

  private final class Counts {
    var begun = 0
    var cancelled = 0
    var answers: [String] = []
  }

  private static let refused = UVError(.connectionRefused, operation: "work")

  private func make(_ work: Work, _ loop: EventLoop, _ counts: Counts, lasts: Duration = .milliseconds(3))
    -> Request<Int>
  {
    Request(loop, operation: "work") { (done: @escaping Completion<Int>) in
      counts.begun += 1
      func fail(_ error: UVError = Self.refused) { done(.failure(error)) }
      switch work {
      case .uncancellable:
        loop.sleep(for: lasts) { _ in fail() }
        return PendingRequest()
      case .answersInCancel:
        return PendingRequest {
          counts.cancelled += 1
          fail(UVError(.cancelled, operation: "work"))
        }
      case .answersLater:
        return PendingRequest {
          counts.cancelled += 1
          loop.queueMicrotask { fail(UVError(.cancelled, operation: "work")) }
        }
      case .ignoresCancel:
        loop.sleep(for: lasts) { _ in fail() }
        return PendingRequest { counts.cancelled += 1 }
      case .failsAtOnce:
        fail()
        return PendingRequest()
      case .failsSoon:
        loop.queueMicrotask { fail() }
        return PendingRequest()
      }
    }
  }

  private func note(_ result: Result<Int, UVError>, _ counts: Counts) {
    counts.answers.append(result.error?.name ?? "value")
  }

  @Test(arguments: Work.allCases, [Duration.zero, .milliseconds(1)])
  func `A limit that is reached is the error, whatever the work makes of its cancellation`(
    work: Work, limit: Duration
  )
    async throws
  {
    try await withLoop { loop in
      for isTask in [false, true] {
        let counts = Counts()
        let timeouts = loop.statistics.timeouts
        let limited = make(work, loop, counts, lasts: .milliseconds(30)).timeout(after: limit)
        if isTask {
          do throws(UVError) { _ = try await limited.value } catch { counts.answers.append(error.name) }
        } else {
          limited.start { note($0, counts) }
        }
        try await loop.until { !counts.answers.isEmpty }
        let isInTime = [.failsAtOnce, .failsSoon].contains(work)
        #expect(counts.answers == [isInTime ? "ECONNREFUSED" : "ETIMEDOUT"] && counts.begun == 1)
        #expect(counts.cancelled == (isInTime || work == .uncancellable ? 0 : 1))
        #expect(loop.statistics.timeouts - timeouts == (isInTime ? 0 : 1))
        // The work that goes on is answered to nobody.
        try await loop.until { loop.statistics.timers == 0 }
        try await loop.settle()
        #expect(counts.answers.count == 1)
      }
    }
  }

  @Test(arguments: Work.allCases)
  func `A limit that was reached is tried again, for each attempt anew`(work: Work) async throws {
    try await withLoop { loop in
      let counts = Counts()
      let policy = RetryPolicy(attempts: 3, backoff: .none)
      make(work, loop, counts, lasts: .milliseconds(20)).timeout(after: .milliseconds(1)).retry(policy).start
      {
        note($0, counts)
      }
      try await loop.until { !counts.answers.isEmpty }
      #expect(counts.answers == [[.failsAtOnce, .failsSoon].contains(work) ? "ECONNREFUSED" : "ETIMEDOUT"])
      #expect(counts.begun == 3)
      try await loop.until { loop.statistics.timers == 0 }
      #expect(counts.answers.count == 1)
    }
  }

  @Test(arguments: Work.allCases, [false, true])
  func `An answer that comes within its limit is the work's, and no timer is left`(work: Work, isNested: Bool)
    async throws
  {
    if [.answersInCancel, .answersLater].contains(work) { return }
    try await withLoop { loop in
      let counts = Counts()
      var limited = make(work, loop, counts).timeout(after: .seconds(1000))
      if isNested { limited = limited.timeout(after: .seconds(2000)) }
      limited.start { note($0, counts) }
      try await loop.until { !counts.answers.isEmpty }
      #expect(counts.answers == ["ECONNREFUSED"] && counts.cancelled == 0 && loop.statistics.timers == 0)
    }
  }

  /// When a request is cancelled.
  enum Moment: CaseIterable, Sendable {
    case atOnce, duringTheAttempt, duringThePause, duringTheLastAttempt, afterwards
  }

  @Test(arguments: Work.allCases, Moment.allCases)
  func `A cancellation is final: it has one answer, and no attempt follows`(work: Work, moment: Moment)
    async throws
  {
    // Some never fail by themselves, and so have no pause.
    let waits = [.answersInCancel, .answersLater].contains(work)
    if waits, ![.atOnce, .duringTheAttempt].contains(moment) { return }
    try await withLoop { loop in
      for isLimited in [false, true] {
        let counts = Counts()
        let isPaused = moment == .duringThePause
        let pause =
          isPaused || moment == .atOnce || moment == .duringTheAttempt ? Duration.seconds(1000) : .zero
        let policy = RetryPolicy(attempts: 2, backoff: .constant(pause))
        var request = make(work, loop, counts, lasts: .milliseconds(5))
        if isLimited { request = request.timeout(after: .seconds(1000)) }
        let pending = request.retry(policy).start { note($0, counts) }
        switch moment {
        case .atOnce: break
        case .duringTheAttempt: try await loop.sleep(for: .zero).value
        case .duringThePause:
          // One timer is left: neither the work's nor its limit's.
          try await loop.until {
            loop.statistics.timers == 1 && loop.snapshot().timers.entries[0].dueIn > .seconds(900)
          }
        case .duringTheLastAttempt: try await loop.until { counts.begun == 2 || !counts.answers.isEmpty }
        case .afterwards: try await loop.until { !counts.answers.isEmpty }
        }
        let begun = counts.begun
        let before = counts.answers
        pending.cancel()
        pending.cancel()
        try await loop.until { !counts.answers.isEmpty }
        try await loop.settle { loop.statistics.timers == 0 }
        #expect(counts.answers.count == 1 && counts.begun == begun, "\(isLimited)")
        if !before.isEmpty { #expect(counts.answers == before) }
        if waits || isPaused && ![.failsAtOnce, .failsSoon].contains(work) {
          #expect(counts.answers == ["ECANCELED"])
        }
        #expect(["ECANCELED", "ECONNREFUSED"].contains(counts.answers[0]))
      }
    }
  }

  @Test func `A cancel in the callback that has begun a request with a closed file ends it in this turn`()
    async throws
  {
    try await withLoop { loop in
      let file = try await loop.files.open("/etc/passwd").value
      try await file.close().value
      let counts = Counts()
      let slow = RetryPolicy(attempts: 3, backoff: .constant(.seconds(1000)))
      let requests = [
        file.read(10).map { $0.count }, loop.files.stat("/\0").map { Int($0.size) },
        loop.files.readFile("/\0").map { $0.count }, loop.random(-1).map { $0.count },
      ]
      for request in requests {
        counts.answers = []
        request.retry(slow).start { note($0, counts) }.cancel()
        #expect(counts.answers == [])
        try await loop.settle { !counts.answers.isEmpty }
        #expect(counts.answers.count == 1 && loop.statistics.timers == 0)
      }
    }
  }

  @Test(arguments: 1...4)
  func `There are as many attempts as the policy says, with its pauses, and the last error is the answer`(
    attempts: Int
  )
    async throws
  {
    try await withLoop { loop in
      for number in [attempts, 0, -1] where number == attempts || attempts == 1 {
        var (begun, asked, paused) = (0, [Int](), [Int]())
        let log = Log<String>()
        let request = Request<Int>(loop, operation: "work") { done in
          begun += 1
          let number = begun
          return loop.sleep(for: .zero) { _ in done(.failure(UVError(.busy, operation: "\(number)"))) }
        }
        let noted = Log<Int>()
        let pauses = Log<Int>()
        let policy = RetryPolicy(
          attempts: number,
          backoff: Backoff {
            pauses.append($0)
            return .zero
          },
          when: {
            noted.append(Int(($0 as! UVError).operation)!); return true
          })
        request.retry(policy).start { log.append($0.error?.operation ?? "value") }
        try await loop.until { !log.values.isEmpty }
        (asked, paused) = (noted.values, pauses.values)
        #expect(begun == attempts && log.values == ["\(attempts)"])
        // The last error isn't asked about.
        #expect(asked == Array(1..<attempts) && paused == Array(1..<attempts))
      }
    }
  }

  @Test func `What is final isn't asked about: a cancellation, and the loop's end`() {
    let asked = Log<Int>()
    let policy = RetryPolicy(attempts: 5, backoff: .none) { _ in
      asked.append(1); return true
    }
    for code in [UVError.Code.cancelled, .loopClosed] {
      #expect(policy.pause(after: UVError(code, operation: "x"), failures: 1) == nil)
    }
    #expect(policy.pause(after: CancellationError(), failures: 1) == nil && asked.values == [])
    for failures in 1...4 { #expect(policy.pause(after: Self.refused, failures: failures) == .zero) }
    #expect(asked.values.count == 4)
    for failures in [5, 6, .max] { #expect(policy.pause(after: Self.refused, failures: failures) == nil) }
    #expect(asked.values.count == 4)
  }
}
