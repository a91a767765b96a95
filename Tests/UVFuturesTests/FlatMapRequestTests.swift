#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A `flatMap` whose inner publishers are requests starts them itself.
@Suite struct FlatMapRequestTests {
  /// Requests that a test answers, in any order.
  final class Requests {
    private let loop: EventLoop
    private var waiting: [Int: Completion<Int>] = [:]
    private(set) var started: [Int] = []
    private(set) var cancelled: [Int] = []
    /// How long each may take.
    private let limit: Duration?

    init(_ loop: EventLoop, limit: Duration? = nil) { (self.loop, self.limit) = (loop, limit) }

    func publisher(_ number: Int) -> RequestPublisher<Int> {
      let request = Request<Int>(loop) { [self] done in
        started.append(number)
        waiting[number] = done
        return PendingRequest { [self] in
          // One that has ended can't be cancelled.
          if waiting[number] != nil { cancelled.append(number) }
          answer(number, .failure(UVError(.cancelled, operation: "test")))
        }
      }
      return (limit.map { request.timeout(after: $0) } ?? request).publisher()
    }

    func answer(_ number: Int, _ result: Result<Int, UVError>) {
      waiting.removeValue(forKey: number)?(result)
    }
    func answer(_ number: Int) { answer(number, .success(number * 10)) }

    /// A request for each number.
    func publisher(
      of numbers: ClosedRange<Int>, _ form: Form, maxPublishers: Subscribers.Demand = .unlimited
    ) -> AnyLoopPublisher<Int, UVError> {
      let numbers = numbers.publisher.setFailureType(to: UVError.self)
      return switch form {
      case .plain:
        numbers.flatMap(maxPublishers: maxPublishers) { self.publisher($0) }.eraseToAnyLoopPublisher()
      case .mapped:
        numbers.flatMap(maxPublishers: maxPublishers) { number in
          self.publisher(number).map { [self] in
            mapped.append(number)
            return $0
          }
        }.eraseToAnyLoopPublisher()
      }
    }
    private(set) var mapped: [Int] = []
  }

  enum Form { case plain, mapped }

  @Test(arguments: [Form.plain, .mapped]) func atMostSoManyRequestsRunAtATime(_ form: Form) async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      requests.publisher(of: 1...4, form, maxPublishers: .max(2)).subscribe(probe)
      #expect(requests.started == [1, 2])
      requests.answer(2)
      #expect(requests.started == [1, 2, 3])
      requests.answer(3)
      requests.answer(1)
      #expect(probe.completions == [])
      requests.answer(4)
      #expect(
        probe.heard.dropFirst() == [.value(20), .value(30), .value(10), .value(40), .completion(.finished)])
      #expect(requests.cancelled == [])
    }
  }

  @Test(arguments: [Form.plain, .mapped]) func anErrorCancelsTheOthers(_ form: Form) async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      requests.publisher(of: 1...3, form).subscribe(probe)
      #expect(requests.started == [1, 2, 3])
      let error = UVError(.timedOut, operation: "test")
      requests.answer(2, .failure(error))
      #expect(requests.cancelled.sorted() == [1, 3])
      #expect(probe.heard.dropFirst() == [.completion(.failure(error))])
    }
  }

  @Test(arguments: [Form.plain, .mapped]) func aCancelledSubscriptionCancelsItsRequestsAndHearsNothing(
    _ form: Form
  ) async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      requests.publisher(of: 1...3, form).subscribe(probe)
      requests.answer(1)
      probe.cancel()
      requests.answer(2)
      #expect(requests.cancelled.sorted() == [2, 3])
      #expect(probe.values == [10])
      #expect(probe.completions == [])
      #expect(requests.mapped == (form == .mapped ? [1] : []))
    }
  }

  @Test(arguments: [Form.plain, .mapped]) func aSubscriberMayCancelWhenItGetsAValue(_ form: Form) async throws
  {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      probe.onValue = { _ in probe.cancel() }
      requests.publisher(of: 1...3, form).subscribe(probe)
      requests.answer(1)
      #expect(requests.cancelled.sorted() == [2, 3])
      #expect(probe.heard.dropFirst() == [.value(10)])
    }
  }

  @Test(arguments: [Form.plain, .mapped]) func valuesThatNobodyHasAskedForWait(_ form: Form) async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>(.max(1))
      requests.publisher(of: 1...3, form).subscribe(probe)
      for number in 1...3 { requests.answer(number) }
      #expect(probe.values == [10])
      probe.request(.max(1))
      #expect(probe.values == [10, 20])
      #expect(probe.completions == [])
      probe.request(.unlimited)
      #expect(probe.heard.suffix(2) == [.value(30), .completion(.finished)])
    }
  }

  @Test func aMapBehindTheRequestOfARequestMayCancel() async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      requests.publisher(1).flatMap { _ in
        requests.publisher(2).map {
          probe.cancel()
          return $0
        }
      }.subscribe(probe)
      for number in 1...2 { requests.answer(number) }
      #expect(requests.started == [1, 2] && requests.cancelled == [])
      #expect(probe.heard.dropFirst() == [])
    }
  }

  enum Limit: CaseIterable { case ofEachRequest, ofASilence, ofTheTask }

  @Test(
    "Requests that take too long are cancelled, and what they would have sent is not mapped",
    arguments: [Form.plain, .mapped], Limit.allCases)
  func requestsThatTakeTooLong(form: Form, limit: Limit) async throws {
    try await withLoop { loop in
      let requests = Requests(loop, limit: limit == .ofEachRequest ? .milliseconds(1) : nil)
      var values: [Int] = []
      func read(_ publisher: some LoopPublisher<Int, UVError>) async throws {
        var iterator = publisher.values.makeAsyncIterator()
        loop.queueMicrotask { requests.answer(1) }
        while let value = try await iterator.next() {
          values.append(value)
          requests.answer(2)
        }
        // A cancelled task gets the end.
        try Task.checkCancellation()
      }
      let publisher = requests.publisher(of: 1...4, form, maxPublishers: .max(3))
      let error = await #expect(throws: UVError.self) {
        switch limit {
        case .ofEachRequest: try await read(publisher)
        case .ofASilence:
          try await read(
            publisher.timeout(.milliseconds(1), scheduler: loop) { UVError(.timedOut, operation: "test") })
        case .ofTheTask: try await loop.withDeadline(.milliseconds(1)) { try await read(publisher) }
        }
      }
      #expect(error?.code == .timedOut)
      #expect(values == [10, 20])
      #expect(requests.started == [1, 2, 3, 4] && requests.cancelled.sorted() == [3, 4])
      #expect(requests.mapped == (form == .mapped ? [1, 2] : []))
    }
  }

  @Test(
    "A loop that ends cancels the requests that run, starts no other, and says so once",
    arguments: [Form.plain, .mapped], [Subscribers.Demand.unlimited, .max(2)])
  func aLoopThatEnds(form: Form, maxPublishers: Subscribers.Demand) async throws {
    try await withThread {
      let loop = try EventLoop()
      let probe = Probe<Int, UVError>()
      var (started, mapped): ([Int], [Int]) = ([], [])
      func sleep(_ number: Int) -> RequestPublisher<Int> {
        started.append(number)
        return loop.sleep(for: number == 1 ? .zero : .seconds(1000)).map { number }.publisher()
      }
      func map(_ number: Int) -> Int {
        mapped.append(number)
        return number
      }
      let numbers = (1...4).publisher.setFailureType(to: UVError.self)
      probe.onValue = { _ in loop.stop() }
      loop.runCallbacks { _ in
        switch form {
        case .plain: numbers.flatMap(maxPublishers: maxPublishers) { sleep($0) }.subscribe(probe)
        case .mapped:
          numbers.flatMap(maxPublishers: maxPublishers) { sleep($0).map { map($0) } }.subscribe(probe)
        }
      }
      #expect(probe.heard.dropFirst() == [.value(1)])
      loop.shutdown()
      #expect(started == (maxPublishers == .unlimited ? [1, 2, 3, 4] : [1, 2, 3]))
      #expect(mapped == (form == .mapped ? [1] : []))
      #expect(probe.heard.count == 3 && probe.values == [1])
      #expect(probe.completions.map { Self.code(of: $0) } == [.cancelled])
    }
  }

  private static func code(of completion: Subscribers.Completion<UVError>) -> UVError.Code? {
    if case .failure(let error) = completion { error.code } else { nil }
  }

  /// The transformation of the value that comes is asked before the value is delivered.
  @Test func aMapMayCancelBeforeItsValueIsDelivered() async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      let probe = Probe<Int, UVError>()
      (1...2).publisher.flatMap { number in
        requests.publisher(number).map {
          if number == 1 { probe.cancel() }
          return $0
        }
      }.subscribe(probe)
      requests.answer(1)
      #expect(requests.cancelled == [2])
      #expect(probe.heard.dropFirst() == [])
    }
  }

  /// The loop has got the answer, but hasn't delivered it when the subscriber goes.
  @Test func aValueThatComesAfterTheEndIsNotMapped() async throws {
    try await withCallbackLoop { loop in
      let probe = Probe<Int, UVError>()
      var completion: Completion<Int>?
      let deaf = Request<Int>(loop, operation: "test") { done in
        completion = done
        return PendingRequest {}
      }
      (1...2).publisher.flatMap { _ in
        deaf.publisher().map { _ in
          Issue.record("nobody wants the value")
          return 0
        }
      }.subscribe(probe)
      probe.cancel()
      completion?(.success(1))
      #expect(probe.heard.dropFirst() == [])
    }
  }

  @Test func whatFollowsARequestPassesThrough() async throws {
    try await passes(adding: 0) { $0.publisher($1) }
    try await passes(adding: 1) { $0.publisher($1).map { $0 + 1 } }
  }

  private func passes<Child: LoopPublisher>(
    adding sum: Int, _ child: @escaping @Sendable (Requests, Int) -> Child
  ) async throws where Child.Output == Int, Child.Failure == UVError {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      func subscribe(_ number: Int, _ demand: Subscribers.Demand = .unlimited) -> Probe<Int, UVError> {
        let probe = Probe<Int, UVError>(demand)
        requests.publisher(number).flatMap { child(requests, $0 + 1) }.subscribe(probe)
        return probe
      }
      for demand in [Subscribers.Demand.unlimited, .max(1)] {
        let probe = subscribe(1, demand)
        requests.answer(1)
        requests.answer(11)
        #expect(probe.heard.dropFirst() == [.value(110 + sum), .completion(.finished)])
      }
      #expect(requests.started == [1, 11, 1, 11])
      let error = UVError(.timedOut, operation: "test")
      let first = subscribe(2)
      requests.answer(2, .failure(error))
      let second = subscribe(3)
      requests.answer(3)
      requests.answer(31, .failure(error))
      for probe in [first, second] { #expect(probe.heard.dropFirst() == [.completion(.failure(error))]) }
      let third = subscribe(4)
      third.cancel()
      let fourth = subscribe(5)
      requests.answer(5)
      fourth.cancel()
      #expect(requests.cancelled == [4, 51])
      for probe in [third, fourth] { #expect(probe.heard.dropFirst() == []) }
    }
  }

  @Test func whatFollowsARequestIsDeliveredAsItIsAskedFor() async throws {
    try await withCallbackLoop { loop in
      let requests = Requests(loop)
      // A subscriber that has got all isn't kept by its subscription.
      weak var last: Probe<Int, UVError>?
      func subscribe(_ demand: Subscribers.Demand) {
        let probe = Probe<Int, UVError>(demand)
        last = probe
        requests.publisher(1).flatMap { ($0...$0 + 2).publisher }.subscribe(probe)
        requests.answer(1)
        let first = demand == .unlimited ? [10, 11, 12] : demand == .max(1) ? [10] : []
        #expect(probe.values == first)
        probe.request(.max(1))
        #expect(probe.values == Array([10, 11, 12].prefix(first.count + 1)))
        probe.request(.unlimited)
        #expect(probe.heard.dropFirst() == [.value(10), .value(11), .value(12), .completion(.finished)])
        probe.cancel()
      }
      for demand in [Subscribers.Demand.unlimited, .max(1), .none] {
        subscribe(demand)
        #expect(last == nil)
      }
      // It may cancel when it has some of what it wants.
      let some = Probe<Int, UVError>(.max(2))
      some.onValue = { if $0 == 21 { some.cancel() } }
      requests.publisher(2).flatMap { ($0...$0 + 2).publisher }.subscribe(some)
      requests.answer(2)
      some.request(.unlimited)
      some.cancel()
      #expect(some.heard.dropFirst() == [.value(20), .value(21)])
      let probe = Probe<Int, UVError>()
      requests.publisher(3).flatMap { value in
        probe.cancel()
        return requests.publisher(value)
      }.subscribe(probe)
      requests.answer(3)
      #expect(requests.started == [1, 1, 1, 2, 3])
      #expect(probe.heard.dropFirst() == [])
    }
  }

  @Test func requestsWithoutAValueAreStartedInOrder() async throws {
    try await withCallbackLoop { loop in
      let (client, server) = try loop.pipes.socketPair()
      var received = ""
      var ends = 0
      server.start { result in
        if case .success(let bytes?) = result { received += bytes.description } else { server.close() }
      }
      let subscription = ["a", "b", "c"].publisher.setFailureType(to: UVError.self)
        .flatMap(maxPublishers: .max(1)) { client.write(Bytes($0)).publisher() }
        .sink(receiveCompletion: { _ in client.close() }, receiveValue: { ends += 1 })
      loop.eventually(received == "abc" && ends == 3) { _ = subscription }
    }
  }
}
#endif
