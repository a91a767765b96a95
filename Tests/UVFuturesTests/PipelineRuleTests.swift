#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// Pipelines and flatMap; a whole program of them is in `ZonePipelineTests`.
@Suite struct PipelineRuleTests {
  struct Zone: Equatable { var name: String }

  private func succeeding<T>(_ value: T) -> Future<T, any Error> { Future { $0(.success(value)) } }
  private func failing<T>(_: T.Type = T.self) -> Future<T, any Error> {
    Future { $0(.failure(Trouble.first)) }
  }

  @Test func `A pipeline orders, limits and carries errors`() async throws {
    try await withCallbackLoop { loop in
      var (running, most, log): (Int, Int, [Int]) = (0, 0, [])
      func step(_ number: Int) -> LoopPublishers.Map<RequestPublisher<Void>, Int> {
        running += 1
        most = max(most, running)
        return loop.sleep(for: .zero).publisher().map {
          running -= 1
          return number
        }
      }
      let numbers = Publishers.MergeMany((1...6).map { Just($0).setFailureType(to: UVError.self) })
      let token = numbers.flatMap(maxPublishers: .unlimited, step)
        .sink(receiveCompletion: { _ in log.append(-1) }, receiveValue: { log.append($0) })
      loop.eventually(log == [1, 2, 3, 4, 5, 6, -1] && most == 6) { token.cancel() }
    }
  }

  @Test func `map transforms values, flatMap goes on with a new publisher`() {
    var values: [Int] = []
    _ = Future<Int, Never> { $0(.success(2)) }.map { $0 * 2 }.sink { values.append($0) }
    _ = Future<Int, Never> { $0(.success(2)) }.flatMap { [$0, $0 * 2].publisher }.sink { values.append($0) }
    #expect(values == [4, 2, 4])
  }

  @Test func `flatMap does not remove nils`() {
    var values: [Int?] = []
    _ = ([1, nil, 3] as [Int?]).publisher.flatMap { Just($0) }.sink { values.append($0) }
    _ = Future<Int?, Never> { $0(.success(nil)) }.flatMap { Just($0) }.sink { values.append($0) }
    #expect(values == [1, nil, 3, nil])
  }

  @Test("flatMap lets a pipeline branch while it runs", arguments: [true, false])
  func flatMapLetsAPipelineBranchWhileItRuns(isKnown: Bool) {
    var values: [String] = []
    _ = Future<Bool, Never> { $0(.success(isKnown)) }
      .flatMap {
        $0 ? Just("known").eraseToAnyPublisher() : ["who", "are", "you"].publisher.eraseToAnyPublisher()
      }
      .sink { values.append($0) }
    #expect(values == (isKnown ? ["known"] : ["who", "are", "you"]))
  }

  @Test func `A pipeline is returned as AnyPublisher of value and error`() {
    func retrieveZone() -> AnyPublisher<Zone, any Error> {
      succeeding("a").map { Zone(name: $0) }.eraseToAnyPublisher()
    }
    var values: [Zone] = []
    _ = retrieveZone().sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    #expect(values == [Zone(name: "a")])
  }

  @Test("retry(3) tries up to three times more", arguments: 0...5)
  func retry3TriesUpToThreeTimesMore(failures: Int) {
    var (runs, log): (Int, [String]) = (0, [])
    _ = Deferred { () -> Future<Int, any Error> in
      runs += 1
      return runs <= failures ? failing() : succeeding(runs)
    }
    .retry(3)
    .sink(
      receiveCompletion: { if case .failure = $0 { log.append("failed") } },
      receiveValue: { log.append("\($0)") })
    #expect(runs == min(failures, 3) + 1)
    #expect(log == [failures > 3 ? "failed" : "\(failures + 1)"])
  }

  @Test func `Lifted to an Optional, an error is replaced with nil, and nothing can fail`() {
    let probe = Probe<Zone?, Never>()
    failing(Zone.self).map { Optional.init($0) }.replaceError(with: nil).subscribe(probe)
    #expect(probe.heard == [.subscription, .value(nil), .completion(.finished)])
  }

  @Test func `receive(on:) moves what follows to the loop`() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let subject = PassthroughSubject<Int, Never>()
      var wasOnLoop: [Bool] = []
      let token = subject.receive(on: loop).sink { _ in wasOnLoop.append(executor.isOnLoop) }
      subject.send(1)
      #expect(wasOnLoop == [])
      try await loop.sleep(for: .zero).value
      #expect(wasOnLoop == [true])
      token.cancel()
    }
  }

  @Test func `assign sets a property of what cannot fail, and returns a token`() {
    final class Screen { var zone: Zone? = Zone(name: "old") }
    let screen = Screen()
    let token: AnyCancellable = Future<Zone?, Never> { $0(.success(nil)) }.assign(to: \.zone, on: screen)
    #expect(screen.zone == nil)
    token.cancel()
  }

  @Test func `The pipeline is one token; dropped, it is cancelled at once`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      func pipeline(_ name: String) -> AnyCancellable {
        loop.sleep(for: .milliseconds(1)).publisher().map { name }
          .handleEvents(receiveCancel: { log.append("\(name) cancelled") })
          .sink(receiveCompletion: { _ in }, receiveValue: { log.append($0) })
      }
      _ = pipeline("dropped")
      #expect(log == ["dropped cancelled"])
      let kept = pipeline("kept")
      loop.eventually(log == ["dropped cancelled", "kept"]) { kept.cancel() }
    }
  }

  @Test func `A future wraps an older API with its result and error types`() async throws {
    try await withLoop { loop in
      func oldAPI(_ done: @escaping (Zone?, Trouble?) -> Void) { loop.queueMicrotask { done(nil, .second) } }
      let future = Future<Zone?, Trouble> { promise in
        oldAPI { zone, error in promise(error.map { .failure($0) } ?? .success(zone)) }
      }
      do throws(Trouble) {
        _ = try await future.value
        Issue.record("did not throw")
      } catch { #expect(error == .second) }
    }
  }

  @Test func `nil may be a success`() {
    let probe = Probe<Zone?, Never>()
    Future<Zone?, Never> { $0(.success(nil)) }.subscribe(probe)
    #expect(probe.heard == [.subscription, .value(nil), .completion(.finished)])
  }

  @Test func `A result is a publisher of one value with a failure type`() {
    let probe = Probe<Int, Trouble>()
    Result<Int, Trouble>.Publisher(.success(1)).subscribe(probe)
    #expect(probe.heard == [.subscription, .value(1), .completion(.finished)])
  }

  /// Fetch, and create if there was nothing; counts how often something is created.
  private func fetchOrCreate(
    _ fetched: Future<Zone?, any Error>, create: @escaping () -> AnyPublisher<Zone, any Error>
  ) -> AnyPublisher<Zone, any Error> {
    fetched
      .flatMap { zone -> AnyPublisher<Zone, any Error> in
        if let zone { return Result<Zone, any Error>.Publisher(.success(zone)).eraseToAnyPublisher() }
        return create()
      }
      .eraseToAnyPublisher()
  }

  @Test(
    "flatMap returns what is there or what is created, erased to agree", arguments: [true, false])
  func flatMapReturnsWhatIsThereOrWhatIsCreatedErasedToAgree(isThere: Bool) {
    var values: [String] = []
    let zones = fetchOrCreate(succeeding(isThere ? Zone(name: "there") : nil)) {
      self.succeeding(Zone(name: "created")).eraseToAnyPublisher()
    }
    _ = zones.sink(receiveCompletion: { _ in }, receiveValue: { values.append($0.name) })
    #expect(values == [isThere ? "there" : "created"])
  }

  @Test func `An error of the fetch skips the branch; an error of the creation fails the pipeline`() {
    var (creations, failures): (Int, Int) = (0, 0)
    func run(_ fetched: Future<Zone?, any Error>) {
      let zones = fetchOrCreate(fetched) {
        creations += 1
        return self.failing().eraseToAnyPublisher()
      }
      _ = zones.sink(
        receiveCompletion: { if case .failure = $0 { failures += 1 } },
        receiveValue: { _ in Issue.record("a value") })
    }
    run(failing())
    #expect((creations, failures) == (0, 1))
    run(succeeding(nil))
    #expect((creations, failures) == (1, 2))
  }

  @Test func `The caller keeps the token and nothing else`() async throws {
    try await withCallbackLoop { loop in
      var name: String?
      func start() -> AnyCancellable {
        loop.sleep(for: .zero).publisher().map { "done" }
          .sink(receiveCompletion: { _ in }, receiveValue: { name = $0 })
      }
      let token = start()
      loop.eventually(name == "done") { token.cancel() }
    }
  }

  // A future made before the branch runs in any case: that is what eager means. A cold or lazy one does not.
  @Test("What is created on a branch that is not taken runs 0 times", arguments: [true, false])
  func whatIsCreatedOnABranchThatIsNotTakenRuns0(isDeferred: Bool) async throws {
    try await withCallbackLoop { loop in
      var runs = 0
      let request = Request<Zone>(loop) { done in
        runs += 1
        loop.queueMicrotask { done(.success(Zone(name: "created"))) }
        return PendingRequest()
      }
      let deferred = Deferred {
        Future<Zone, any Error> { promise in
          runs += 1
          promise(.success(Zone(name: "created")))
        }
      }
      let createZone =
        isDeferred
        ? deferred.eraseToAnyPublisher()
        : request.publisher().mapError { $0 as any Error }.eraseToAnyPublisher()
      let there = fetchOrCreate(succeeding(Zone(name: "there"))) { createZone }
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      #expect(runs == 0)
      let missing = fetchOrCreate(succeeding(nil)) { createZone }
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      #expect(runs == 1)
      loop.sleep(for: .zero) { _ in
        there.cancel()
        missing.cancel()
      }
    }
  }

  @Test func `retry runs a cold form again, and an eager form not`() async throws {
    try await withCallbackLoop { loop in
      var runs = 0
      let request = Request<Zone>(loop) { done in
        runs += 1
        loop.queueMicrotask { done(.failure(UVError(.connectionRefused, operation: "fetch"))) }
        return PendingRequest()
      }
      let cold = request.publisher().retry(3).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      loop.eventually(runs == 4) {
        runs = 0
        let eager = request.future().retry(3).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        loop.eventually(runs == 1) {
          cold.cancel()
          eager.cancel()
        }
      }
    }
  }
}
#endif
