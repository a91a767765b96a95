#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// What Combine's `Future` does.
@Suite struct FutureRuleTests {
  @Test func `A future is a publisher of one value or one error`() {
    let value = Probe<Int, Trouble>()
    Future { $0(.success(1)) }.subscribe(value)
    #expect(value.heard == [.subscription, .value(1), .completion(.finished)])

    let error = Probe<Int, Trouble>()
    Future { $0(.failure(.first)) }.subscribe(error)
    #expect(error.heard == [.subscription, .completion(.failure(.first))])
  }

  @Test func `A function may return a future`() {
    func answer() -> Future<Int, Never> { Future { promise in promise(.success(42)) } }
    var answers: [Int] = []
    _ = answer().sink { answers.append($0) }
    #expect(answers == [42])
  }

  @Test func `The initialiser takes a closure of one argument, the promise`() {
    let attempt: (@escaping Future<Int, Never>.Promise) -> Void = { promise in promise(.success(3)) }
    let probe = Probe<Int, Never>()
    Future(attempt).subscribe(probe)
    #expect(probe.values == [3])
  }

  @Test func `A promise is a closure that takes a result`() {
    var promises: [(Result<Int, Trouble>) -> Void] = []
    _ = Future<Int, Trouble> { promises.append($0) }
    let promise: Future<Int, Trouble>.Promise? = promises.first
    #expect(promise != nil)
  }

  @Test func `The promise publishes a value or fails`() {
    var promises: [Future<Int, Trouble>.Promise] = []
    let (first, second) = (Probe<Int, Trouble>(), Probe<Int, Trouble>())
    for probe in [first, second] { Future { promises.append($0) }.subscribe(probe) }
    promises[0](.success(5))
    promises[1](.failure(.second))
    #expect(first.heard == [.subscription, .value(5), .completion(.finished)])
    #expect(second.heard == [.subscription, .completion(.failure(.second))])
  }

  @Test func `A promise called at once reaches a later sink`() {
    let future = Future<Int, Never> { promise in promise(.success(42)) }
    var values: [Int] = []
    _ = future.sink { values.append($0) }
    #expect(values == [42])
  }

  @Test func `A promise may be called later, from a callback`() async throws {
    try await withCallbackLoop { loop in
      let future = Future<Int, Never> { promise in
        loop.sleep(for: .milliseconds(1)) { _ in promise(.success(7)) }
      }
      let probe = Probe<Int, Never>()
      future.subscribe(probe)
      #expect(probe.values == [])
      loop.eventually(probe.values == [7])
    }
  }

  @Test func `A future that cannot fail may be sunk with one closure`() {
    // For other failures `sink(receiveValue:)` does not compile.
    let future: Future<Int, Never> = Future { $0(.success(8)) }
    var value = 0
    _ = future.sink { value = $0 }
    #expect(value == 8)
  }

  @Test func `The closure runs when the future is made, with no subscriber`() {
    var lines: [String] = []
    func createFuture() -> Future<Int, Never> {
      Future { promise in
        lines.append("Closure executed")
        promise(.success(42))
      }
    }
    _ = createFuture()
    #expect(lines == ["Closure executed"])
  }

  @Test func `Other publishers do nothing until they are subscribed to`() {
    var runs = 0
    let deferred = Deferred {
      Future<Int, Never> { promise in
        runs += 1
        promise(.success(1))
      }
    }
    let observed = Just(1).handleEvents(receiveOutput: { _ in runs += 1 })
    #expect(runs == 0)
    _ = deferred.sink { _ in }
    #expect(runs == 1)
    _ = observed.sink { _ in }
    #expect(runs == 2)
  }

  @Test("The closure runs once for 0, 1 and more subscribers", arguments: [0, 1, 5])
  func theClosureRunsOnceFor01AndMoreSubscribers(subscribers: Int) {
    var runs = 0
    let future = Future<Int, Never> { promise in
      runs += 1
      promise(.success(1))
    }
    for _ in 0..<subscribers { _ = future.sink { _ in } }
    #expect(runs == 1)
  }

  @Test func `Every subscriber gets the same result, before or after it is there`() {
    var promise: Future<Token, Never>.Promise?
    let future = Future<Token, Never> { promise = $0 }
    var tokens: [Token] = []
    var cancellables: [AnyCancellable] = []
    for _ in 0..<3 { future.sink { tokens.append($0) }.store(in: &cancellables) }
    promise?(.success(Token()))
    for _ in 0..<3 { future.sink { tokens.append($0) }.store(in: &cancellables) }
    #expect(tokens.count == 6)
    #expect(tokens.allSatisfy { $0 === tokens[0] })
  }

  @Test func `Subscribing again does not run the work again`() {
    var runs = 0
    let future = Future<Int, Trouble> { promise in
      runs += 1
      promise(.failure(.first))
    }
    let probes = [Probe<Int, Trouble>(), Probe<Int, Trouble>()]
    for probe in probes { future.subscribe(probe) }
    #expect(runs == 1)
    #expect(probes.allSatisfy { $0.completions == [.failure(.first)] })
  }

  @Test func `The result comes to a sink, an assignment or any subscriber`() {
    final class Model { var number = 0 }
    let future = Future<Int, Never> { $0(.success(14)) }
    let model = Model()
    var sunk = 0
    let probe = Probe<Int, Never>()
    _ = future.sink { sunk = $0 }
    _ = future.assign(to: \.number, on: model)
    future.subscribe(probe)
    #expect(sunk == 14)
    #expect(model.number == 14)
    #expect(probe.values == [14])
  }

  @Test func `Operators work on a future`() {
    var values: [String] = []
    _ = Future<Int, Trouble> { $0(.success(1)) }
      .map { $0 + 1 }
      .filter { $0 > 0 }
      .tryMap { "\($0)" }
      .append("end")
      .sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    #expect(values == ["2", "end"])
  }

  @Test func `An API with a completion handler becomes a future that cannot fail`() async throws {
    struct Settings: Equatable { var isAuthorised: Bool }
    try await withCallbackLoop { loop in
      func getNotificationSettings(completionHandler: @escaping (Settings) -> Void) {
        loop.queueMicrotask { completionHandler(Settings(isAuthorised: true)) }
      }
      func getNotificationSettings() -> Future<Settings, Never> {
        Future { promise in getNotificationSettings { promise(.success($0)) } }
      }
      let probe = Probe<Settings, Never>()
      getNotificationSettings().subscribe(probe)
      loop.queueMicrotask { #expect(probe.values == [Settings(isAuthorised: true)]) }
    }
  }

  @Test("An API with a flag and an error becomes a future that may fail", arguments: [true, false])
  func anAPIWithAFlagAndAnErrorBecomesAFutureThat(fails: Bool) {
    func requestAuthorization(_ done: (Bool, (any Error)?) -> Void) {
      done(!fails, fails ? Trouble.first : nil)
    }
    let future = Future<Bool, any Error> { promise in
      requestAuthorization { result, error in
        if let error { promise(.failure(error)) } else { promise(.success(result)) }
      }
    }
    var heard: [String] = []
    _ = future.sink(
      receiveCompletion: {
        if case .failure = $0 { heard.append("failed") } else { heard.append("finished") }
      },
      receiveValue: { heard.append("\($0)") })
    #expect(heard == (fails ? ["failed"] : ["true", "finished"]))
  }

  @Test func `Just emits its value and finishes, and cannot fail`() {
    let probe = Probe<Int, Never>()
    Just(18).subscribe(probe)
    #expect(probe.heard == [.subscription, .value(18), .completion(.finished)])
  }

  @Test("Erasure hides the type, so that all branches of a flatMap agree", arguments: [true, false])
  func erasureHidesTheTypeSoThatAllBranchesOfAFlatMapAgree(asks: Bool) {
    var values: [Bool] = []
    _ = Just(asks)
      .flatMap { asks -> AnyPublisher<Bool, Never> in
        if asks {
          Future { $0(.success(true)) }.eraseToAnyPublisher()
        } else {
          Just(false).eraseToAnyPublisher()
        }
      }
      .sink { values.append($0) }
    #expect(values == [asks])
  }

  @Test("flatMap returns a publisher chosen from the value", arguments: 0..<3)
  func flatMapReturnsAPublisherChosenFromTheValue(status: Int) {
    var values: [String] = []
    _ = Future<Int, Never> { $0(.success(status)) }
      .flatMap { status -> AnyPublisher<String, Never> in
        switch status {
        case 0: Just("none").eraseToAnyPublisher()
        case 1: Future { $0(.success("one")) }.eraseToAnyPublisher()
        default: ["many", "more"].publisher.eraseToAnyPublisher()
        }
      }
      .sink { values.append($0) }
    #expect(values == [["none"], ["one"], ["many", "more"]][status])
  }

  @Test func `replaceError turns an error into a value, finishes, and cannot fail`() {
    let probe = Probe<Bool, Never>()
    Future<Bool, any Error> { $0(.failure(Trouble.first)) }.replaceError(with: false).subscribe(probe)
    #expect(probe.heard == [.subscription, .value(false), .completion(.finished)])
  }

  @Test func `replaceError's type is Combine's, so it is erased to match another branch`() {
    let replaced = Future<Bool, any Error> { $0(.success(true)) }.replaceError(with: false)
    let _: Publishers.ReplaceError<Future<Bool, any Error>> = replaced
    let branches: [AnyPublisher<Bool, Never>] = [
      replaced.eraseToAnyPublisher(), Just(true).eraseToAnyPublisher(),
    ]
    var values: [Bool] = []
    for branch in branches { _ = branch.sink { values.append($0) } }
    #expect(values == [true, true])
  }

  enum Status: CaseIterable { case denied, notDetermined, authorized }

  @Test("The permission flow delivers one Bool", arguments: Status.allCases, [true, false])
  func thePermissionFlowDeliversOneBool(status: Status, grants: Bool) {
    let probe = Probe<Bool, Never>()
    permission(status: status, grants: grants).subscribe(probe)
    let expected = [Status.denied: false, .notDetermined: grants, .authorized: true][status]!
    #expect(probe.heard == [.subscription, .value(expected), .completion(.finished)])
  }

  private func permission(
    status: Status, grants: Bool, onRequest: @escaping () -> Void = {}
  ) -> AnyPublisher<Bool, Never> {
    Future<Status, Never> { $0(.success(status)) }
      .flatMap { status -> AnyPublisher<Bool, Never> in
        switch status {
        case .denied: return Just(false).eraseToAnyPublisher()
        case .notDetermined:
          return Future<Bool, any Error> { promise in
            onRequest()
            promise(grants ? .success(true) : .failure(Trouble.first))
          }
          .replaceError(with: false)
          .eraseToAnyPublisher()
        default: return Just(true).eraseToAnyPublisher()
        }
      }
      .eraseToAnyPublisher()
  }

  @Test func `A future nested in flatMap starts only on the branch that is taken`() {
    var requests = 0
    _ = permission(status: .authorized, grants: true) { requests += 1 }.sink { _ in }
    #expect(requests == 0)
    _ = permission(status: .notDetermined, grants: true) { requests += 1 }.sink { _ in }
    #expect(requests == 1)
  }

  @Test func `Delivery elsewhere is the subscriber's wish: receive(on: loop)`() async throws {
    try await withCallbackLoop { loop in
      let probe = Probe<Int, Never>()
      Future<Int, Never> { $0(.success(25)) }.receive(on: loop).subscribe(probe)
      #expect(probe.heard == [.subscription])
      probe.onCompletion = { _ in #expect(loop.executor.isOnLoop) }
      loop.queueMicrotask { #expect(probe.heard == [.subscription, .value(25), .completion(.finished)]) }
    }
  }

  @Test func `A promise that is never called leaves its subscriber without a word`() {
    let probe = Probe<Int, Never>()
    Future { _ in }.subscribe(probe)
    #expect(probe.heard == [.subscription])
  }

  @Test func `A chain makes the same calls as nested callbacks, flat`() async throws {
    try await withCallbackLoop { loop in
      var (nested, flat): ([String], [String]) = ([], [])
      func step(_ name: String, _ log: @escaping (String) -> Void, _ done: @escaping (String) -> Void) {
        log("begin \(name)")
        loop.queueMicrotask {
          log("end \(name)")
          done(name + "'")
        }
      }
      step("a", { nested.append($0) }) { a in
        step(a, { nested.append($0) }) { b in
          step(b, { nested.append($0) }) { nested.append($0) }
        }
      }
      func future(_ name: String) -> Future<String, Never> {
        Future { promise in step(name, { flat.append($0) }) { promise(.success($0)) } }
      }
      var cancellables: Set<AnyCancellable> = []
      future("a").flatMap { future($0) }.flatMap { future($0) }.sink { flat.append($0) }.store(
        in: &cancellables)
      loop.eventually(flat == nested && flat.count == 7) { _ = cancellables }
    }
  }
}
#endif
