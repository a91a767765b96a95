import Testing
import UV
import UVTestSupport

/// Requests that the package's modules make of others, at each step of which they may fail, be cancelled or end with the loop.
@Suite struct RequestPartsTests {
  /// A request that a test answers.
  private final class Step {
    var starts = 0
    var cancels = 0
    var done: Completion<Int>?

    func request(_ loop: EventLoop) -> Request<Int> {
      Request(loop) { done in
        self.starts += 1
        self.done = done
        return PendingRequest {
          // One that has been answered does nothing.
          guard let done = self.done.take() else { return }
          self.cancels += 1
          done(.failure(UVError(.cancelled, operation: "step")))
        }
      }
    }

    func answer(_ result: Result<Int, UVError>) {
      let done = done
      self.done = nil
      done?(result)
    }
  }

  /// When it is cancelled.
  enum Moment: CaseIterable { case never, inFirst, betweenInCompletion, inSecond, afterwards }

  @Test(
    "A request that follows another is begun with its value, and a cancel reaches the one under way",
    arguments: Moment.allCases, [false, true])
  func then(moment: Moment, isTwice: Bool) async throws {
    try await withLoop { loop in
      let (first, second) = (Step(), Step())
      var (values, outcomes): ([Int], [String]) = ([], [])
      var pending = PendingRequest()
      let request = first.request(loop).then { value in
        values.append(value)
        if moment == .betweenInCompletion { pending.cancel() }
        return second.request(loop)
      }
      #expect(first.starts == 0)
      pending = request.start { outcomes.append($0.value.map { "\($0)" } ?? $0.error!.name) }
      func cancel() {
        pending.cancel()
        if isTwice { pending.cancel() }
      }
      #expect(first.starts == 1 && second.starts == 0)
      if moment == .inFirst { cancel() } else { first.answer(.success(7)) }
      if moment != .inFirst {
        #expect(values == [7] && second.starts == 1 && first.cancels == 0)
        if moment == .inSecond { cancel() }
        if moment == .never || moment == .afterwards { second.answer(.success(8)) }
      }
      try await loop.until { !outcomes.isEmpty }
      if moment == .afterwards { cancel() }
      let isCancelled = [.inFirst, .betweenInCompletion, .inSecond].contains(moment)
      #expect(outcomes == [isCancelled ? "ECANCELED" : "8"])
      #expect(first.cancels == (moment == .inFirst ? 1 : 0))
      #expect(second.cancels == ([.betweenInCompletion, .inSecond].contains(moment) ? 1 : 0))
    }
  }

  @Test("A failure of the first ends it, and nothing follows") func firstFails() async throws {
    try await withLoop { loop in
      let first = Step()
      let request = first.request(loop).then { _ -> Request<Int> in
        Issue.record("nothing follows")
        return .value(loop, 1)
      }
      for _ in 0..<2 {
        var outcomes: [String] = []
        let pending = request.start { outcomes.append($0.error?.name ?? "ok") }
        first.answer(.failure(UVError(.brokenPipe, operation: "step")))
        #expect(outcomes == ["EPIPE"])
        pending.cancel()
      }
      #expect(first.cancels == 0 && first.starts == 2)
      // Known values and errors aren't given on the caller's stack.
      var known: [String] = []
      Request<Int>.value(loop, 3).start { known.append("\($0.value ?? 0)") }
      Request<Int>.failure(loop, UVError(.busy, operation: "known")).start {
        known.append($0.error?.name ?? "ok")
      }
      #expect(known == [])
      try await loop.until { known.count == 2 }
      #expect(known == ["3", "EBUSY"])
    }
  }

  /// How a request ends that somebody outside the loop works on.
  enum End: CaseIterable {
    case finished, failed, cancelled, cancelledThenFinished, finishedThenCancelled, loopEnds
  }

  @Test(
    "A request that is worked on outside is answered once, and keeps its loop running until then",
    arguments: End.allCases)
  func outside(end: End) async throws {
    try await withThread {
      let loop = try EventLoop()
      var (outcomes, cancels) = ([String](), 0)
      let request = OutsideRequest<Int>(loop, "look", subject: "a name") { result in
        outcomes.append(result.value.map { "\($0)" } ?? "\(result.error!)")
      }
      #expect(request.begin { cancels += 1 })
      #expect(loop.statistics.requests == 1)
      #expect(try loop.runNoWait())
      let pending = request.pending
      let failure = UVError(.unknownHost, operation: "look")
      switch end {
      case .finished: #expect(request.finish(.success(5)))
      case .failed: #expect(request.finish(.failure(failure)))
      case .cancelled, .cancelledThenFinished:
        pending.cancel()
        // Not on the caller's stack.
        #expect(outcomes == [] && cancels == 1)
        if end == .cancelledThenFinished { #expect(!request.finish(.success(5))) }
      case .finishedThenCancelled:
        #expect(request.finish(.success(5)))
        pending.cancel()
        #expect(!request.finish(.success(6)))
      case .loopEnds: loop.shutdown()
      }
      if end != .loopEnds { while try loop.runNoWait() {} }
      pending.cancel()
      let cancelled = UVError(.cancelled, operation: "look", subject: "a name")
      switch end {
      case .finished, .finishedThenCancelled: #expect(outcomes == ["5"])
      case .failed: #expect(outcomes == ["\(failure)"])
      case .cancelled, .cancelledThenFinished, .loopEnds: #expect(outcomes == ["\(cancelled)"])
      }
      #expect(cancels == ([.cancelled, .cancelledThenFinished, .loopEnds].contains(end) ? 1 : 0))
      #expect(loop.statistics.requests == 0)
      loop.shutdown()
      // A loop that has ended takes none.
      var late: [UVError.Code?] = []
      let refused = OutsideRequest<Int>(loop, "look") { late.append($0.error?.code) }
      #expect(!refused.begin { cancels += 10 })
      #expect(late == [.loopClosed] && cancels < 10)
    }
  }
}
