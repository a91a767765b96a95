#if Everything
import Dispatch
import Testing
import UV
import UVFutures
import UVTestSupport

/// Traps in the semantics of publishers: demand, ends and reentrancy.
@Suite struct TrapRuleTests {
  /// A future and its promise.
  private func pending() -> (future: Future<Int, Trouble>, promise: Future<Int, Trouble>.Promise) {
    var promise: Future<Int, Trouble>.Promise?
    let future = Future<Int, Trouble> { promise = $0 }
    return (future, promise!)
  }

  @Test func `A success waits for demand, a failure does not`() {
    let (success, succeed) = pending()
    let (failure, fail) = pending()
    let probes = [Probe<Int, Trouble>(.none), Probe<Int, Trouble>(.none)]
    success.subscribe(probes[0])
    failure.subscribe(probes[1])
    succeed(.success(1))
    fail(.failure(.first))
    #expect(probes[0].heard == [.subscription])
    #expect(probes[1].heard == [.subscription, .completion(.failure(.first))])
    probes[0].request(.max(1))
    #expect(probes[0].heard == [.subscription, .value(1), .completion(.finished)])
    let late = Probe<Int, Trouble>(.none)
    failure.subscribe(late)
    #expect(late.heard == [.subscription, .completion(.failure(.first))])
  }

  @Test("Any demand brings value and end together; a second request does nothing", arguments: [1, 5, nil])
  func anyDemandBringsValueAndEndTogetherASecondRequestDoesNothing(count: Int?) {
    let probe = Probe<Int, Trouble>(.none)
    Future { $0(.success(1)) }.subscribe(probe)
    probe.request(count.map { .max($0) } ?? .unlimited)
    probe.request(.max(1))
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
  }

  @Test func `Asking for nothing is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      let probe = Probe<Int, Trouble>(.none)
      Future<Int, Trouble> { $0(.success(1)) }.subscribe(probe)
      probe.request(.none)
    }
  }

  @Test func `A second call of the promise is ignored, from inside a delivery too`() {
    let (future, promise) = pending()
    let probe = Probe<Int, Trouble>()
    probe.onValue = { _ in promise(.success(2)) }
    probe.onCompletion = { _ in promise(.failure(.second)) }
    future.subscribe(probe)
    promise(.success(1))
    promise(.success(3))
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])

    let (failing, fail) = pending()
    let failed = Probe<Int, Trouble>()
    failed.onCompletion = { _ in fail(.success(1)) }
    failing.subscribe(failed)
    fail(.failure(.first))
    #expect(failed.heard == [.subscription, .completion(.failure(.first))])
  }

  @Test func `Cancelling stops one subscriber, not the work nor the others; nothing comes after it`() {
    let (future, promise) = pending()
    let (cancelled, other) = (Probe<Int, Trouble>(), Probe<Int, Trouble>())
    future.subscribe(cancelled)
    future.subscribe(other)
    cancelled.cancel()
    cancelled.request(.max(1))
    promise(.success(1))
    cancelled.request(.max(1))
    #expect(cancelled.heard == [.subscription])
    #expect(other.values == [1])
  }

  @Test func `After the end the subscriber is let go, though promise and token live on`() {
    let (future, promise) = pending()
    weak var observed: Token?
    let token: AnyCancellable
    do {
      let captured = Token()
      observed = captured
      token = future.sink(receiveCompletion: { _ in _ = captured }, receiveValue: { _ in _ = captured })
    }
    #expect(observed != nil)
    promise(.success(1))
    #expect(observed == nil)
    withExtendedLifetime((future, promise, token)) {}
  }

  // Combine's future and a raw subscriber keep each other for ever if it is never resolved. Ours keeps its
  // subscribers but is not kept by them: its resolver keeps it.
  @Test func `A pending future that nobody can resolve goes, with a raw subscriber and with a token`() {
    weak var observed: Future<Int, Trouble>?
    weak var subscriber: Probe<Int, Trouble>?
    do {
      let future = Future<Int, Trouble> { _ in }
      let probe = Probe<Int, Trouble>()
      future.subscribe(probe)
      (observed, subscriber) = (future, probe)
    }
    #expect(observed == nil)
    // The probe and its subscription refer to each other until the subscription is cancelled.
    subscriber?.cancel()

    weak var captured: Token?
    do {
      let token = Token()
      captured = token
      _ = Future<Int, Trouble> { _ in }.sink(receiveCompletion: { _ in _ = token }, receiveValue: { _ in })
    }
    #expect(captured == nil)
  }

  @Test func `The subscription comes before any value; a resolved future delivers inside subscribe`() {
    let (future, promise) = pending()
    promise(.success(1))
    let probe = Probe<Int, Trouble>()
    future.subscribe(probe)
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
  }

  @Test("Resolving on other threads while subscribing is safe", arguments: 0..<4)
  func resolvingOnOtherThreadsWhileSubscribingIsSafe(round: Int) async throws {
    try await withLoop { loop in
      var sum = 0
      for number in 1...500 {
        let (future, resolver) = Future<Int, Never>.pending(on: loop)
        DispatchQueue.global().async { resolver(.success(number)) }
        sum += await future.value
      }
      #expect(sum == 500 * 501 / 2)
    }
  }

  /// A publisher that is sent what a test says and notes what it is asked.
  private final class Upstream<Output>: Publisher, Subscription {
    typealias Failure = Trouble
    private(set) var requests: [Subscribers.Demand] = []
    private(set) var isCancelled = false
    private var receiveValue: ((Output) -> Subscribers.Demand)?
    private var receiveCompletion: ((Subscribers.Completion<Trouble>) -> Void)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Trouble {
      receiveValue = { subscriber.receive($0) }
      receiveCompletion = { subscriber.receive(completion: $0) }
      subscriber.receive(subscription: self)
    }
    func request(_ demand: Subscribers.Demand) { requests.append(demand) }
    func cancel() { isCancelled = true }
    @discardableResult func send(_ value: Output) -> Subscribers.Demand { receiveValue?(value) ?? .none }
    func finish(_ completion: Subscribers.Completion<Trouble> = .finished) { receiveCompletion?(completion) }
  }

  /// The same publisher as one of ours, so that our operators are tested.
  private func ours<P: Publisher>(_ publisher: P) -> LoopPublishers.Map<Publishers.MergeMany<P>, P.Output> {
    Publishers.MergeMany(publisher).map { $0 }
  }

  @Test func `flatMap asks upstream for so many publishers, and one more for each that finishes`() {
    let (outer, inner) = (Upstream<Int>(), (0..<3).map { _ in Upstream<Int>() })
    let probe = Probe<Int, Trouble>(.max(1))
    LoopPublishers.Map(upstream: outer) { $0 }.flatMap(maxPublishers: .max(2)) { inner[$0] }.subscribe(probe)
    #expect(outer.requests == [.max(2)])
    outer.send(0)
    outer.send(1)
    // Not unlimited, because downstream is not.
    #expect(inner[0].requests == [.max(1)])
    #expect(inner[0].send(10) == .max(1))
    #expect(inner[1].send(11) == .none)
    #expect(probe.values == [10])
    inner[0].finish()
    #expect(outer.requests == [.max(2), .max(1)])
    inner[1].finish()
    outer.finish()
    // What is buffered comes before the end.
    #expect(probe.completions.isEmpty)
    probe.request(.max(1))
    #expect(probe.heard.suffix(2) == [.value(11), .completion(.finished)])

    let (unlimited, child) = (Upstream<Int>(), Upstream<Int>())
    LoopPublishers.Map(upstream: unlimited) { $0 }.flatMap { _ in child }.subscribe(Probe<Int, Trouble>())
    unlimited.send(0)
    #expect(unlimited.requests == [.unlimited])
    #expect(child.requests == [.unlimited])
  }

  @Test func `flatMap of one at a time queues a sequence, and drops what a subject sends meanwhile`() {
    var promises: [Future<Int, Never>.Promise] = []
    var values: [Int] = []
    func step(_ number: Int) -> LoopPublishers.Map<Future<Int, Never>, Int> {
      Future<Int, Never> { promises.append($0) }.map { _ in number }
    }
    let sequence = ours([1, 2, 3].publisher).flatMap(maxPublishers: .max(1), step).sink { values.append($0) }
    while !promises.isEmpty { promises.removeFirst()(.success(0)) }
    #expect(values == [1, 2, 3])
    sequence.cancel()

    values = []
    let subject = PassthroughSubject<Int, Never>()
    let mapped = LoopPublishers.Map(upstream: subject) { $0 }
    let busy = mapped.flatMap(maxPublishers: .max(1), step).sink { values.append($0) }
    for number in 1...3 { subject.send(number) }
    while !promises.isEmpty { promises.removeFirst()(.success(0)) }
    #expect(values == [1])
    busy.cancel()
  }

  @Test
  func `An inner failure cancels siblings, drops what is buffered, and leaves a foreign upstream alone`() {
    let (outer, inner) = (Upstream<Int>(), (0..<2).map { _ in Upstream<Int>() })
    let probe = Probe<Int, Trouble>(.max(1))
    LoopPublishers.Map(upstream: outer) { $0 }.flatMap { inner[$0] }.subscribe(probe)
    outer.send(0)
    outer.send(1)
    inner[0].send(10)
    inner[0].send(11)
    inner[1].finish(.failure(.second))
    #expect(probe.heard == [.subscription, .value(10), .completion(.failure(.second))])
    #expect(inner[0].isCancelled)
    #expect(!outer.isCancelled)
    probe.request(.max(1))
    #expect(probe.values == [10])
  }

  @Test func `flatMap finishes when upstream and all inner publishers have`() {
    let (outer, inner) = (Upstream<Int>(), Upstream<Int>())
    let probe = Probe<Int, Trouble>()
    LoopPublishers.Map(upstream: outer) { $0 }.flatMap { _ in inner }.subscribe(probe)
    outer.send(0)
    outer.finish()
    #expect(probe.completions.isEmpty)
    inner.send(1)
    inner.finish()
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
  }

  @Test func `A delivery may subscribe, ask, resolve and cancel without a lock to run into`() {
    let (future, promise) = pending()
    var log: [Int] = []
    var cancellables: [AnyCancellable] = []
    let last = Probe<Int, Trouble>()
    let first = future.sink(
      receiveCompletion: { _ in },
      receiveValue: { value in
        log.append(value)
        promise(.success(2))
        last.cancel()
        future.map { $0 + 1 }.sink(receiveCompletion: { _ in }, receiveValue: { log.append($0) })
          .store(in: &cancellables)
      })
    future.subscribe(last)
    promise(.success(1))
    #expect(log == [1, 2])
    #expect(last.values == [])
    first.cancel()
  }

  @Test func `retry subscribes up to n times more; demand is carried over; failing at once is a loop`() {
    func runs(_ retries: Int) -> Int {
      var runs = 0
      _ = Deferred { () -> Future<Int, Trouble> in
        runs += 1
        return Future { $0(.failure(.first)) }
      }
      .retry(retries).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      return runs
    }
    #expect(runs(3) == 4)
    #expect(runs(0) == 1)
    #expect(runs(10_000) == 10_001)

    var promises: [Future<Int, Trouble>.Promise] = []
    let probe = Probe<Int, Trouble>(.max(1))
    Deferred { Future<Int, Trouble> { promises.append($0) } }.retry(1).subscribe(probe)
    promises[0](.failure(.first))
    promises[1](.success(1))
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
  }

  @Test func `replaceError lets earlier values pass, and its value waits for demand`() {
    let subject = PassthroughSubject<Int, Trouble>()
    let probe = Probe<Int, Never>(.max(1))
    subject.replaceError(with: 9).subscribe(probe)
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(probe.heard == [.subscription, .value(1)])
    probe.request(.max(1))
    #expect(probe.heard == [.subscription, .value(1), .value(9), .completion(.finished)])
  }
}
#endif
