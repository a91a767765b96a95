#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

@Suite struct RequestPublisherTests {
  /// A request that counts how often it is started, and is answered with that number in the next microtask.
  private func counting(_ loop: EventLoop, _ starts: Counter, failures: Int = 0) -> Request<Int> {
    Request(loop) { done in
      starts.count += 1
      let count = starts.count
      var isCancelled = false
      loop.queueMicrotask {
        if isCancelled {
          done(.failure(UVError(.cancelled, operation: "count")))
        } else if count <= failures {
          done(.failure(UVError(.connectionRefused, operation: "count")))
        } else {
          done(.success(count))
        }
      }
      return PendingRequest {
        starts.cancellations += 1
        isCancelled = true
      }
    }
  }

  final class Counter {
    var count = 0
    var cancellations = 0
  }

  @Test func aPublisherIsColdAndRunsForEachSubscriber() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let publisher = counting(loop, starts).publisher()
      #expect(starts.count == 0)
      let probes = [Probe<Int, UVError>(), Probe<Int, UVError>()]
      for probe in probes { publisher.subscribe(probe) }
      #expect(starts.count == 2)
      loop.sleep(for: .zero) { _ in #expect(probes.map(\.values) == [[1], [2]]) }
    }
  }

  @Test func aPublisherWaitsForDemand() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let probe = Probe<Int, UVError>(.none)
      counting(loop, starts).publisher().subscribe(probe)
      #expect(starts.count == 0)
      probe.request(.max(1))
      probe.request(.max(1))
      #expect(starts.count == 1)
      loop.sleep(for: .zero) { _ in
        #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
      }
    }
  }

  @Test func cancellingTheSubscriptionCancelsTheRequest() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let probe = Probe<Int, UVError>()
      counting(loop, starts).publisher().subscribe(probe)
      probe.cancel()
      #expect(starts.cancellations == 1)
      loop.sleep(for: .zero) { _ in #expect(probe.heard == [.subscription]) }
    }
  }

  @Test("A subscriber that cancels when it gets the value doesn't hear of the end, and nothing is cancelled")
  func cancellingInTheValue() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let probe = Probe<Int, UVError>()
      probe.onValue = { [unowned probe] _ in probe.cancel() }
      counting(loop, starts).publisher().subscribe(probe)
      loop.sleep(for: .zero) { _ in
        #expect(probe.heard == [.subscription, .value(1)])
        #expect(starts.cancellations == 0)
      }
    }
  }

  @Test func `A subscriber that cancels before it asks starts nothing, and is let go`() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      weak var weakProbe: Probe<Int, UVError>?
      do {
        let probe = Probe<Int, UVError>(.none)
        weakProbe = probe
        counting(loop, starts).publisher().subscribe(probe)
        probe.cancel()
        probe.request(.unlimited)
      }
      #expect(weakProbe == nil)
      loop.sleep(for: .zero) { _ in #expect(starts.count == 0) }
    }
  }

  /// A value, in as many words as it takes, and the object that it keeps.
  private struct Value<Rest> {
    var object = Counter()
    var rest: Rest
  }

  /// Work whose answer is known until it is taken.
  private final class Known<Success>: SharedWork {
    let loop: EventLoop
    private var answer: Success?

    init(_ loop: EventLoop, _ answer: Success) { (self.loop, self.answer) = (loop, answer) }

    var isKnown: Bool { answer != nil }

    func answerIfKnown(_ argument: Int) -> Result<Success, UVError>? { answer.take().map { .success($0) } }

    func start(_ argument: Int, _ done: GenericCompletion<Success>) -> PendingRequest { PendingRequest() }
  }

  private func expectDelivery<Rest>(of rest: Rest, on loop: EventLoop, cancelled isCancelled: Bool) {
    let probe = Probe<Int, UVError>()
    weak var object: Counter?
    do {
      let value = Value(rest: rest)
      object = value.object
      Request(Known(loop, value)).publisher().map { $0.object.count }.subscribe(probe)
    }
    #expect(probe.heard == [.subscription] && object != nil)
    if isCancelled { probe.cancel() }
    loop.sleep(for: .zero) { [weak object] _ in
      #expect(object == nil)
      #expect(probe.heard == [.subscription] + (isCancelled ? [] : [.value(0), .completion(.finished)]))
    }
  }

  @Test func `An answer that is known is delivered later, or goes with its subscription`() async throws {
    try await withCallbackLoop { loop in
      for isCancelled in [false, true] {
        expectDelivery(of: (), on: loop, cancelled: isCancelled)
        expectDelivery(of: (1, 2, 3, 4), on: loop, cancelled: isCancelled)
      }
    }
  }

  @Test func retryRunsTheRequestAgain() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let probe = Probe<Int, UVError>()
      counting(loop, starts, failures: 3).publisher().retry(3).subscribe(probe)
      loop.sleep(for: .zero) { _ in
        #expect(starts.count == 4)
        #expect(probe.heard == [.subscription, .value(4), .completion(.finished)])
      }
    }
  }

  @Test func aFutureIsEagerAndRunsOnce() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let future = counting(loop, starts).future()
      #expect(starts.count == 1)
      let probes = [Probe<Int, UVError>(), Probe<Int, UVError>()]
      for probe in probes { future.subscribe(probe) }
      loop.sleep(for: .zero) { _ in
        #expect(starts.count == 1)
        #expect(probes.map(\.values) == [[1], [1]])
      }
    }
  }

  @Test func aFuturesRequestIsCancelledWithItsLastSubscriber() async throws {
    try await withCallbackLoop { loop in
      let starts = Counter()
      let future = counting(loop, starts).future()
      let probes = [Probe<Int, UVError>(), Probe<Int, UVError>()]
      for probe in probes { future.subscribe(probe) }
      probes[0].cancel()
      #expect(starts.cancellations == 0)
      probes[1].cancel()
      #expect(starts.cancellations == 1)
    }
  }

  @Test func anErrorArrivesOnce() async throws {
    try await withCallbackLoop { loop in
      let error = UVError(.connectionRefused, operation: "count")
      let probe = Probe<Int, UVError>()
      counting(loop, Counter(), failures: 9).publisher().subscribe(probe)
      loop.sleep(for: .zero) { _ in #expect(probe.heard == [.subscription, .completion(.failure(error))]) }
    }
  }
}
#endif
