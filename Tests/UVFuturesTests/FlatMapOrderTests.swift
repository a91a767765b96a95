#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A `flatMap` delivers what comes to it once, in the order in which it has come, and only as much as is wanted: whatever
/// it flattens, and whatever the subscriber does when it gets a value.
@Suite struct FlatMapOrderTests {
  /// What a number is made into.
  enum Form: CaseIterable, Sendable {
    case future, mappedFuture, erasedFuture, request, mappedRequest, erasedRequest
  }

  /// Numbers, each made into something that has ended by then, or that the test ends.
  private final class Bench {
    let loop: EventLoop
    let numbers = PassthroughSubject<Int, UVError>()
    let draws: Draws
    /// The numbers whose value has come to the `flatMap`.
    private(set) var arrived: [Int] = []
    private var open: [(number: Int, end: Completion<Int>)] = []
    private var sent = 0

    init(_ loop: EventLoop, _ seed: Int) {
      self.loop = loop
      draws = Draws(UInt64(seed))
    }

    var isIdle: Bool { open.isEmpty }

    func send() {
      sent += 1
      numbers.send(sent)
    }

    /// Ends one that is open.
    func endOne() {
      if open.isEmpty { return }
      let (number, end) = open.remove(at: draws.draw(open.count))
      arrived.append(number)
      end(.success(number))
    }

    private func future(_ number: Int) -> Future<Int, UVError> {
      let isSettled = draws.draw(2) == 0
      if isSettled { arrived.append(number) }
      return Future { promise in
        if isSettled { promise(.success(number)) } else { self.open.append((number, promise)) }
      }
    }

    private func request(_ number: Int) -> Request<Int> {
      Request(loop, operation: "test") { done in
        self.open.append((number, done))
        return PendingRequest {}
      }
    }

    func publisher(_ form: Form) -> AnyLoopPublisher<Int, UVError> {
      let numbers = numbers.eraseToAnyLoopPublisher()
      return switch form {
      case .future: numbers.flatMap { self.future($0) }.eraseToAnyLoopPublisher()
      case .mappedFuture: numbers.flatMap { self.future($0).map { $0 } }.eraseToAnyLoopPublisher()
      case .erasedFuture:
        numbers.flatMap { self.future($0).eraseToAnyLoopPublisher() }.eraseToAnyLoopPublisher()
      case .request: numbers.flatMap { self.request($0).publisher() }.eraseToAnyLoopPublisher()
      case .mappedRequest:
        numbers.flatMap { self.request($0).publisher().map { $0 } }.eraseToAnyLoopPublisher()
      case .erasedRequest:
        numbers.flatMap { self.request($0).publisher().eraseToAnyLoopPublisher() }.eraseToAnyLoopPublisher()
      }
    }
  }

  @Test("Values come once, in order, and as many as are wanted", arguments: Form.allCases)
  func order(form: Form) async throws {
    try await withCallbackLoop { loop in
      for seed in 0..<150 {
        let bench = Bench(loop, seed)
        let draws = bench.draws
        let probe = Probe<Int, UVError>(.max(1))
        var wanted = 1
        func ask() {
          let count = 1 + draws.draw(3)
          wanted += count
          probe.request(.max(count))
        }
        func act() {
          switch draws.draw(4) {
          case 0: bench.send()
          case 1: bench.endOne()
          case 2: ask()
          default: break
          }
        }
        probe.onValue = { _ in
          #expect(probe.values.count <= wanted, "seed \(seed)")
          if draws.draw(2) == 0 { act() }
          // What it returns is asked for when it has returned.
          let asksForMore = draws.draw(2) == 0
          probe.furtherDemand = asksForMore ? .max(1) : .none
          if asksForMore { wanted += 1 }
        }
        bench.publisher(form).subscribe(probe)
        for _ in 0..<40 { act() }
        bench.numbers.send(completion: .finished)
        while !bench.isIdle { bench.endOne() }
        let finishesNow = probe.values.count == bench.arrived.count
        #expect(probe.completions == (finishesNow ? [.finished] : []), "seed \(seed)")
        probe.onValue = nil
        probe.furtherDemand = .none
        if !finishesNow { probe.request(.unlimited) }
        #expect(probe.values == bench.arrived, "\(form), seed \(seed)")
        #expect(probe.completions == [.finished], "\(form), seed \(seed)")
      }
    }
  }

  @Test(
    "What is sent while waiting values are delivered comes after them",
    arguments: Form.allCases.prefix(3))
  func sentMeanwhile(form: Form) async throws {
    try await withCallbackLoop { loop in
      for asked in 1...5 {
        let numbers = PassthroughSubject<Int, UVError>()
        let probe = Probe<Int, UVError>(.max(1))
        func made(_ number: Int) -> Future<Int, UVError> { Future { $0(.success(number)) } }
        let erased = numbers.eraseToAnyLoopPublisher()
        switch form {
        case .mappedFuture: erased.flatMap { made($0).map { $0 } }.subscribe(probe)
        case .erasedFuture: erased.flatMap { made($0).eraseToAnyLoopPublisher() }.subscribe(probe)
        default: erased.flatMap { made($0) }.subscribe(probe)
        }
        for number in 1...3 { numbers.send(number) }
        probe.onValue = { if $0 == 2 || $0 == 3 { numbers.send($0 + 2) } }
        probe.request(.max(asked))
        probe.request(.unlimited)
        #expect(probe.values == [1, 2, 3, 4, 5], "\(asked) asked for")
      }
    }
  }
}
#endif
