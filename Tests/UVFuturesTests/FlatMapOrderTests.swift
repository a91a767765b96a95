#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A `flatMap` delivers what comes to it once, in the order in which it has come, and only as much as is wanted: whatever
/// it flattens, and whatever the subscriber does when it gets a value.
@Suite struct FlatMapOrderTests {
  /// What a number is made into: what has one value, and publishers of several.
  enum Form: CaseIterable, Sendable {
    case future, mappedFuture, erasedFuture, request, mappedRequest, erasedRequest
    case subject, source
  }

  /// Numbers, each made into something that has ended by then, or that the test ends.
  private final class Bench {
    let loop: EventLoop
    let draws: Draws
    private let subject = PassthroughSubject<Int, UVError>()
    private let source = AskedSource<Int, UVError>()
    /// Whether the numbers come from a subject, which drops those that nobody has asked for.
    private let isSubject: Bool
    /// The values that have come to the `flatMap`, in order.
    private(set) var arrived: [Int] = []
    /// Whether the `flatMap` has heard the end of the numbers, and how many publishers it hasn't heard the end of.
    private var hasEnded = false
    private var running = 0
    private var open: [(number: Int, end: Completion<Int>)] = []
    private var streams: [(send: (Int) -> Void, end: () -> Void)] = []
    private var sent = 0

    init(_ loop: EventLoop, _ seed: Int, _ most: Subscribers.Demand) {
      self.loop = loop
      draws = Draws(UInt64(seed))
      isSubject = most == .unlimited && seed % 2 == 0
    }

    /// Whether the `flatMap` has heard everything.
    var isDone: Bool { hasEnded && running == 0 && open.isEmpty }

    func send() {
      sent += 1
      if isSubject { subject.send(sent) } else { source.send(sent) }
    }

    func end() {
      if isSubject { subject.send(completion: .finished) } else { source.send(completion: .finished) }
    }

    /// Goes on with one that is open, or ends it.
    func goOn(ends: Bool = false) {
      if !open.isEmpty {
        let (number, end) = open.remove(at: draws.draw(open.count))
        arrived.append(number)
        end(.success(number))
      } else if !streams.isEmpty {
        let place = draws.draw(streams.count)
        if ends || draws.draw(3) == 0 { return streams.remove(at: place).end() }
        sent += 1
        streams[place].send(sent)
      }
    }

    /// Ends everything, in any order, some after further values.
    func endAll() {
      let isFirst = draws.draw(2) == 0
      if isFirst { end() }
      while !open.isEmpty || !streams.isEmpty { goOn(ends: draws.draw(2) == 0) }
      if !isFirst { end() }
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

    private func stream(_ form: Form) -> AnyLoopPublisher<Int, UVError> {
      running += 1
      let publisher: AnyLoopPublisher<Int, UVError>
      if form == .subject {
        let subject = PassthroughSubject<Int, UVError>()
        streams.append(({ subject.send($0) }, { subject.send(completion: .finished) }))
        publisher = subject.eraseToAnyLoopPublisher()
      } else {
        let source = AskedSource<Int, UVError>()
        streams.append(({ source.send($0) }, { source.send(completion: .finished) }))
        publisher = source.eraseToAnyLoopPublisher()
      }
      return publisher.handleEvents(
        receiveOutput: { self.arrived.append($0) }, receiveCompletion: { _ in self.running -= 1 }
      ).eraseToAnyLoopPublisher()
    }

    func publisher(_ form: Form, _ most: Subscribers.Demand) -> AnyLoopPublisher<Int, UVError> {
      let all = isSubject ? subject.eraseToAnyLoopPublisher() : source.eraseToAnyLoopPublisher()
      let numbers = all.handleEvents(receiveCompletion: { _ in self.hasEnded = true })
        .eraseToAnyLoopPublisher()
      func flat<Child: LoopPublisher>(_ child: @escaping (Int) -> Child) -> AnyLoopPublisher<Int, UVError>
      where Child.Output == Int, Child.Failure == UVError {
        numbers.flatMap(maxPublishers: most, child).eraseToAnyLoopPublisher()
      }
      return switch form {
      case .future: flat { self.future($0) }
      case .mappedFuture: flat { self.future($0).map { $0 } }
      case .erasedFuture: flat { self.future($0).eraseToAnyLoopPublisher() }
      case .request: flat { self.request($0).publisher() }
      case .mappedRequest: flat { self.request($0).publisher().map { $0 } }
      case .erasedRequest: flat { self.request($0).publisher().eraseToAnyLoopPublisher() }
      case .subject, .source: flat { _ in self.stream(form) }
      }
    }
  }

  @Test(
    "Values come once, in order, and as many as are wanted, and the end comes with the last",
    arguments: Form.allCases, [Subscribers.Demand.unlimited, .max(2)])
  func order(form: Form, most: Subscribers.Demand) async throws {
    try await withCallbackLoop { loop in
      for seed in 0..<150 {
        let bench = Bench(loop, seed, most)
        let draws = bench.draws
        let probe = Probe<Int, UVError>(.max(1))
        var wanted = 1
        // Some subscribers ask for less than comes, so that values wait.
        let greed = draws.draw(3)
        func ask() {
          if draws.draw(3) > greed { return }
          let count = 1 + draws.draw(1 + greed)
          wanted += count
          probe.request(.max(count))
        }
        func act() {
          switch draws.draw(16) {
          case 0..<4: bench.send()
          case 4..<8: bench.goOn()
          case 8..<12: ask()
          case 12: bench.end()
          default: break
          }
        }
        /// Whatever was done, all of it has come, or waits to be asked for.
        func check() {
          let values = probe.values
          let isAll = bench.isDone && values.count == bench.arrived.count
          let isRight =
            values == Array(bench.arrived.prefix(values.count))
            && (isAll || values.count == min(wanted, bench.arrived.count))
            && probe.completions == (isAll ? [.finished] : [])
          #expect(isRight, "\(form), seed \(seed): \(probe.heard) of \(bench.arrived), \(wanted) wanted")
        }
        probe.onValue = { _ in
          #expect(probe.values.count <= wanted, "seed \(seed)")
          for _ in 0..<draws.draw(3) { act() }
          if draws.draw(12) == 0 { bench.endAll() }
          // What it returns is asked for when it has returned.
          let asksForMore = draws.draw(4) <= greed
          probe.furtherDemand = asksForMore ? .max(1) : .none
          if asksForMore { wanted += 1 }
        }
        bench.publisher(form, most).subscribe(probe)
        for _ in 0..<40 {
          act()
          check()
        }
        bench.end()
        probe.onValue = nil
        probe.furtherDemand = .none
        // One that ends may make room for another one.
        for _ in 0..<100 { bench.goOn(ends: true) }
        check()
        if probe.completions.isEmpty { probe.request(.unlimited) }
        for _ in 0..<100 { bench.goOn(ends: true) }
        #expect(bench.isDone && probe.values == bench.arrived, "\(form), seed \(seed)")
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
