#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A `flatMap` takes the outcome of a settled future without a subscription. Nobody may notice.
@Suite struct SettledFutureTests {
  struct Failed: Error, Equatable {}

  enum Form: CaseIterable { case plain, mapped, erased }

  /// Futures that are made of the values of a subject.
  final class Futures {
    let numbers = PassthroughSubject<Int, Failed>()
    private(set) var made: [Int] = []
    private(set) var mapped: [Int] = []
    private(set) var promises: [Int: Future<Int, Failed>.Promise] = [:]
    /// The numbers of those that are settled later.
    var later: Set<Int> = []
    var failing: Set<Int> = []
    var onMap: ((Int) -> Void)?

    private func future(_ number: Int) -> Future<Int, Failed> {
      made.append(number)
      return Future { promise in
        if self.later.contains(number) {
          self.promises[number] = promise
        } else {
          promise(self.failing.contains(number) ? .failure(Failed()) : .success(number * 10))
        }
      }
    }

    private func map(_ value: Int) -> Int {
      mapped.append(value)
      onMap?(value)
      return value + 1
    }

    func publisher(
      _ form: Form, of numbers: AnyLoopPublisher<Int, Failed>? = nil,
      maxPublishers: Subscribers.Demand = .unlimited
    ) -> AnyLoopPublisher<Int, Failed> {
      let numbers = numbers ?? self.numbers.eraseToAnyLoopPublisher()
      return switch form {
      case .plain:
        numbers.flatMap(maxPublishers: maxPublishers) { self.future($0) }.map { self.map($0) }
          .eraseToAnyLoopPublisher()
      case .mapped:
        numbers.flatMap(maxPublishers: maxPublishers) { self.future($0).map { self.map($0) } }
          .eraseToAnyLoopPublisher()
      // This one is subscribed to.
      case .erased:
        numbers.flatMap(maxPublishers: maxPublishers) {
          self.future($0).map { self.map($0) }.eraseToAnyLoopPublisher()
        }.eraseToAnyLoopPublisher()
      }
    }
  }

  @Test(arguments: Form.allCases)
  func `Settled futures and others deliver as they are settled`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      futures.later = [2]
      let probe = Probe<Int, Failed>()
      futures.publisher(form).subscribe(probe)
      for number in 1...3 { futures.numbers.send(number) }
      #expect(probe.values == [11, 31])
      futures.numbers.send(completion: .finished)
      #expect(probe.completions == [])
      futures.promises[2]?(.success(20))
      #expect(probe.heard.dropFirst() == [.value(11), .value(31), .value(21), .completion(.finished)])
    }
  }

  @Test(arguments: Form.allCases)
  func `A settled future makes room for the next`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      futures.later = [2]
      let probe = Probe<Int, Failed>()
      let numbers = (1...4).publisher.setFailureType(to: Failed.self).eraseToAnyLoopPublisher()
      futures.publisher(form, of: numbers, maxPublishers: .max(1)).subscribe(probe)
      #expect(futures.made == [1, 2])
      futures.promises[2]?(.success(20))
      #expect(futures.made == [1, 2, 3, 4])
      #expect(probe.values == [11, 21, 31, 41])
      #expect(probe.completions == [.finished])
    }
  }

  @Test(arguments: Form.allCases)
  func `The failure of a settled future ends the others`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      (futures.later, futures.failing) = ([1], [3])
      let probe = Probe<Int, Failed>()
      futures.publisher(form).subscribe(probe)
      for number in 1...4 { futures.numbers.send(number) }
      futures.promises[1]?(.success(10))
      #expect(probe.heard.dropFirst() == [.value(21), .completion(.failure(Failed()))])
      #expect(futures.mapped == [20])
    }
  }

  @Test(arguments: Form.allCases)
  func `What maps the value of a settled future may end all`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      let probe = Probe<Int, Failed>()
      futures.onMap = { if $0 == 20 { futures.numbers.send(completion: .finished) } }
      futures.publisher(form).subscribe(probe)
      for number in 1...3 { futures.numbers.send(number) }
      #expect(probe.heard.dropFirst() == [.value(11), .value(21), .completion(.finished)])
    }
  }

  @Test(arguments: [Form.mapped, .erased])
  func `What maps the value of a settled future may cancel`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      let probe = Probe<Int, Failed>()
      futures.onMap = { if $0 == 20 { probe.cancel() } }
      futures.publisher(form).subscribe(probe)
      for number in 1...3 { futures.numbers.send(number) }
      #expect(futures.made == [1, 2])
      #expect(probe.heard.dropFirst() == [.value(11)])
    }
  }

  @Test(arguments: Form.allCases)
  func `A subscriber may cancel when it gets the value of a settled future`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      let probe = Probe<Int, Failed>()
      probe.onValue = { if $0 == 21 { probe.cancel() } }
      futures.publisher(form).subscribe(probe)
      for number in 1...3 { futures.numbers.send(number) }
      #expect(futures.made == [1, 2])
      #expect(probe.heard.dropFirst() == [.value(11), .value(21)])
    }
  }

  @Test(arguments: Form.allCases)
  func `The value of a settled future may make another`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      let probe = Probe<Int, Failed>()
      probe.onValue = {
        if $0 < 41 { futures.numbers.send($0 / 10 + 1) } else { futures.numbers.send(completion: .finished) }
      }
      futures.publisher(form).subscribe(probe)
      futures.numbers.send(1)
      #expect(futures.made == [1, 2, 3, 4])
      #expect(probe.values == [11, 21, 31, 41])
      #expect(probe.completions == [.finished])
    }
  }

  @Test(arguments: [Form.mapped, .erased])
  func `Values of settled futures wait until they are asked for`(_ form: Form) async throws {
    try await withCallbackLoop { _ in
      let futures = Futures()
      futures.later = [2]
      let probe = Probe<Int, Failed>(.none)
      futures.publisher(form).subscribe(probe)
      for number in 1...3 { futures.numbers.send(number) }
      futures.promises[2]?(.success(20))
      futures.numbers.send(completion: .finished)
      #expect(futures.mapped == [10, 30, 20])
      #expect(probe.heard == [.subscription])
      probe.request(.max(1))
      #expect(probe.values == [11])
      probe.request(.unlimited)
      #expect(probe.heard.dropFirst() == [.value(11), .value(31), .value(21), .completion(.finished)])
    }
  }
}

/// A `flatMap` starts a request behind a `map` before it keeps it.
@Suite struct StartedRequestTests {
  @Test func `A request that ends its upstream publisher as it starts is waited for`() async throws {
    try await withCallbackLoop { loop in
      let numbers = PassthroughSubject<Int, UVError>()
      let probe = Probe<Int, UVError>()
      var answer: Completion<Int>?
      numbers.eraseToAnyLoopPublisher().flatMap { _ in
        Request<Int>(loop, operation: "test") { done in
          answer = done
          numbers.send(completion: .finished)
          return PendingRequest {}
        }.publisher().map { $0 + 1 }
      }.subscribe(probe)
      numbers.send(1)
      #expect(probe.completions == [])
      answer?(.success(1))
      #expect(probe.heard.dropFirst() == [.value(2), .completion(.finished)])
    }
  }

  @Test func `A request that cancels its subscription as it starts is cancelled`() async throws {
    try await withCallbackLoop { loop in
      let numbers = PassthroughSubject<Int, UVError>()
      let probe = Probe<Int, UVError>()
      var answer: Completion<Int>?
      var cancelled = 0
      numbers.eraseToAnyLoopPublisher().flatMap { _ in
        Request<Int>(loop, operation: "test") { done in
          answer = done
          probe.cancel()
          return PendingRequest { cancelled += 1 }
        }.publisher().map {
          Issue.record("nobody wants the value")
          return $0
        }
      }.subscribe(probe)
      numbers.send(1)
      answer?(.failure(UVError(.cancelled, operation: "test")))
      #expect(cancelled == 1)
      #expect(probe.heard.dropFirst() == [])
    }
  }

  @Test func `What a request was started for goes with its answer`() async throws {
    try await withCallbackLoop { loop in
      let numbers = PassthroughSubject<Int, UVError>()
      let probe = Probe<Int, UVError>()
      var answers: [Completion<Int>] = []
      final class Held { let isNothing = false }
      weak var held: Held?
      numbers.eraseToAnyLoopPublisher().flatMap { _ in
        let object = Held()
        held = object
        return Request<Int>(loop, operation: "test") { done in
          answers.append(done)
          return PendingRequest {}
        }.publisher().map { [object] in object.isNothing ? 0 : $0 }
      }.subscribe(probe)
      for number in 1...3 {
        numbers.send(number)
        #expect(held != nil)
        answers.removeFirst()(.success(number))
        #expect(held == nil)
      }
      #expect(probe.values == [1, 2, 3])
      numbers.send(4)
      probe.cancel()
      #expect(held == nil)
      answers.removeFirst()(.failure(UVError(.cancelled, operation: "test")))
    }
  }
}
#endif
