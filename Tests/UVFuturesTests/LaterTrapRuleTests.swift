#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// Traps in the semantics of publishers: schedulers, tokens, subjects and time.
@Suite struct LaterTrapRuleTests {
  @Test("receive(on:) delivers in order on the loop; subscription and demand stay with the caller")
  func receiveOnDeliversInOrderOnTheLoopSubscriptionAndDemandStay() async throws {
    try await withCallbackLoop { loop in
      let probe = Probe<Int, Trouble>()
      Future<Int, Trouble> { $0(.success(1)) }.receive(on: loop).subscribe(probe)
      #expect(probe.heard == [.subscription])
      // A sink that was cancelled before its turn stays silent.
      let sink = Future<Int, Trouble> { $0(.success(1)) }.receive(on: loop)
        .sink(
          receiveCompletion: { _ in Issue.record("completion") }, receiveValue: { _ in Issue.record("value") }
        )
      sink.cancel()
      loop.sleep(for: .zero) { _ in
        #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
      }
    }
  }

  @Test func `subscribe(on:) moves the subscription to the loop, not the delivery`() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let probe = Probe<Int, Never>()
      subject.subscribe(on: loop).subscribe(probe)
      subject.send(1)
      loop.sleep(for: .zero) { _ in
        subject.send(2)
        #expect(probe.values == [2])
        subject.send(completion: .finished)
      }
    }
  }

  @Test func `assign keeps its object until the end or cancellation`() {
    final class Model { var number = 0 }
    let subject = PassthroughSubject<Int, Never>()
    weak var observed: Model?
    var token: AnyCancellable?
    do {
      let model = Model()
      observed = model
      token = LoopPublishers.Map(upstream: subject) { $0 + 1 }.assign(to: \.number, on: model)
    }
    subject.send(1)
    #expect(observed?.number == 2)
    token?.cancel()
    #expect(observed == nil)

    weak var finished: Model?
    do {
      let model = Model()
      finished = model
      token = Future<Int, Never> { $0(.success(1)) }.assign(to: \.number, on: model)
    }
    #expect(finished == nil)
  }

  @Test func `A token cancels when it is let go, and once`() {
    var cancellations = 0
    let publisher = Future<Int, Never> { _ in }.handleEvents(receiveCancel: { cancellations += 1 })
    _ = publisher.sink { _ in }
    #expect(cancellations == 1)
    let token = publisher.sink { _ in }
    token.cancel()
    token.cancel()
    #expect(cancellations == 2)
  }

  @Test func `A subject sends to subscribers that ask, keeps nothing, and cancels what feeds it`() {
    final class Feed: Subscription {
      var isCancelled = false
      func request(_ demand: Subscribers.Demand) {}
      func cancel() { isCancelled = true }
    }
    var subject: PassthroughSubject<Int, Trouble>? = PassthroughSubject()
    let (feed, early, late) = (Feed(), Probe<Int, Trouble>(.none), Probe<Int, Trouble>())
    subject?.send(subscription: feed)
    subject?.send(0)
    subject?.subscribe(early)
    subject?.send(1)
    early.request(.max(1))
    subject?.send(2)
    subject?.send(3)
    subject?.send(completion: .finished)
    subject?.send(4)
    subject?.subscribe(late)
    #expect(early.heard == [.subscription, .value(2), .completion(.finished)])
    #expect(late.heard == [.subscription, .completion(.finished)])
    #expect(!feed.isCancelled)
    subject = nil
    #expect(feed.isCancelled)
  }

  @Test func `A sink lets its closures go at the end, and cancelling inside a value stops what follows`() {
    let subject = PassthroughSubject<Int, Never>()
    let publisher = LoopPublishers.Map(upstream: subject) { $0 }
    var values: [Int] = []
    var token: AnyCancellable?
    token = publisher.sink(
      receiveCompletion: { _ in Issue.record("completion") },
      receiveValue: {
        values.append($0)
        token?.cancel()
      })
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(values == [1])

    weak var captured: Token?
    let other = PassthroughSubject<Int, Never>()
    do {
      let object = Token()
      captured = object
      token = LoopPublishers.Map(upstream: other) { $0 }
        .sink(receiveCompletion: { _ in _ = object }, receiveValue: { _ in _ = object })
    }
    #expect(captured != nil)
    other.send(completion: .finished)
    #expect(captured == nil)
  }

  @Test func `A sink asks for everything`() {
    var requests: [Subscribers.Demand] = []
    let token = LoopPublishers.Map(
      upstream: PassthroughSubject<Int, Never>().handleEvents(receiveRequest: { requests.append($0) })
    ) { $0 }.sink { _ in }
    #expect(requests == [.unlimited])
    token.cancel()
  }

  @Test func `values asks for one at a time, and cancelling the task ends it with nil`() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      var iterator = LoopPublishers.Map(upstream: subject) { $0 }.values.makeAsyncIterator()
      // Nobody has asked yet.
      subject.send(1)
      loop.queueMicrotask { subject.send(2) }
      #expect(await iterator.next() == 2)

      var ended = false
      let task = loop.spawn {
        for await _ in Future<Int, Never>(on: loop, { _ in }).values {}
        for await _ in LoopPublishers.Map(upstream: subject, transform: { $0 }).values {}
        ended = true
      }
      try await loop.sleep(for: .zero).value
      task.cancel()
      try await loop.sleep(for: .zero).value
      try await loop.sleep(for: .zero).value
      #expect(ended)
    }
  }

  // Combine's `value` cannot be cancelled at all.
  @Test func `value of a future is given up with its task where the failure can say so`() async throws {
    try await withLoop { loop in
      let (future, resolve) = Future<Int, UVError>.pending(on: loop)
      let task = loop.spawn { () async throws(UVError) in try await future.value }
      try await loop.sleep(for: .zero).value
      task.cancel()
      do throws(UVError) {
        _ = try await task.value
        Issue.record("not cancelled")
      } catch { #expect(error.isCancelled) }
      resolve(.success(1))
    }
  }

  // Combine's lose the type of the error.
  @Test("values and value throw their own type; an error waits for next(), comes once, and then nil")
  func valuesAndValueThrowTheirOwnTypeAnErrorWaitsForNext() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      var iterator = LoopPublishers.Map(upstream: subject) { $0 }.values.makeAsyncIterator()
      subject.send(completion: .failure(.second))
      do throws(Trouble) {
        _ = try await iterator.next()
        Issue.record("did not throw")
      } catch { #expect(error == .second) }
      do throws(Trouble) { #expect(try await iterator.next() == nil) } catch { Issue.record("threw twice") }
      do throws(Trouble) {
        _ = try await Future<Int, Trouble> { $0(.failure(.first)) }.value
      } catch { #expect(error == .first) }
    }
  }

  @Test(
    "timeout starts with the subscription, the first demand and each value; without an error it finishes")
  func timeoutStartsWithTheSubscriptionTheFirstDemandAndEachValueWithout() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let (silent, busy) = (Probe<Int, Trouble>(), Probe<Int, Trouble>())
      Future<Int, Trouble>(on: loop) { _ in }.timeout(.milliseconds(2), scheduler: loop).subscribe(silent)
      // Each is begun before the time that it is to be in, so that its date is the earlier one on a late machine, too.
      func sendLater(_ values: ArraySlice<Int>) {
        guard let value = values.first else { return }
        loop.sleep(for: .milliseconds(20)) { _ in
          sendLater(values.dropFirst())
          subject.send(value)
        }
      }
      sendLater([20, 40, 60])
      subject.timeout(.milliseconds(40), scheduler: loop, customError: { .first }).subscribe(busy)
      loop.eventually(
        silent.heard == [.subscription, .completion(.finished)] && busy.values == [20, 40, 60])
      // Its clock runs out 40 ms after the last value.
      loop.eventually(busy.completions == [.failure(.first)])

      // Demand starts the clock anew.
      let late = Probe<Int, Trouble>(.none)
      loop.sleep(for: .milliseconds(60)) { _ in #expect(late.completions == []) }
      loop.sleep(for: .milliseconds(30)) { _ in late.request(.max(1)) }
      subject.timeout(.milliseconds(40), scheduler: loop, customError: { .second }).subscribe(late)
    }
  }

  @Test func `delay delays failures, too; zip finishes when one side is finished and drained`() async throws {
    try await withCallbackLoop { loop in
      let delayed = Probe<Int, Trouble>()
      Future<Int, Trouble> { $0(.failure(.first)) }.delay(for: .milliseconds(1), scheduler: loop).subscribe(
        delayed)
      #expect(delayed.completions.isEmpty)
      let (subject, zipped) = (PassthroughSubject<Int, Never>(), Probe<Int, Never>())
      Future<Int, Never> { $0(.success(1)) }.zip(subject).map { $0 + $1 }.subscribe(zipped)
      subject.send(2)
      #expect(zipped.values == [3])
      #expect(zipped.completions == [.finished])
      loop.eventually(delayed.completions == [.failure(.first)])
    }
  }

  @Test func `Deferred builds a publisher for each subscriber`() {
    var built = 0
    let deferred = Deferred { () -> Future<Int, Never> in
      built += 1
      return Future { $0(.success(1)) }
    }
    #expect(built == 0)
    for _ in 0..<3 { _ = deferred.sink { _ in } }
    #expect(built == 3)
  }

  @Test func `A late subscriber of a shared future misses the value`() {
    let shared = Future<Int, Never> { $0(.success(1)) }.share()
    let (first, late) = (Probe<Int, Never>(), Probe<Int, Never>())
    shared.subscribe(first)
    shared.subscribe(late)
    #expect(first.values == [1])
    #expect(late.heard == [.subscription, .completion(.finished)])
  }

  // The third contract, a promise's, is tested with the promises.
  @Test func `Already resolved: a subscriber hears it at once`() async throws {
    try await withCallbackLoop { loop in
      let future = Future<Int, Never> { $0(.success(1)) }
      var log: [String] = []
      let token = future.sink { _ in log.append("Combine") }
      #expect(log == ["Combine"])
      token.cancel()
    }
  }
}
#endif
