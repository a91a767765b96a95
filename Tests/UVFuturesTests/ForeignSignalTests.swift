#if Everything
import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// Publishers of another library's whose signals come when, and where, they like.
@Suite struct ForeignSignalTests {
  /// A publisher that gives its subscription when a test says so, and may send something while it is cancelled.
  // Sound: the tests touch it on one thread at a time.
  fileprivate final class Source: Publisher, Subscription, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = Never
    private var subscriber: (any Subscriber<Int, Never>)?
    private(set) var demand = Subscribers.Demand.none
    private(set) var cancelCount = 0
    var isEager = true
    var onCancel: ((any Subscriber<Int, Never>) -> Void)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      self.subscriber = subscriber
      if isEager { begin() }
    }

    func begin() { subscriber?.receive(subscription: self) }
    func send(_ value: Int) { _ = subscriber?.receive(value) }
    func finish() { subscriber?.receive(completion: .finished) }
    func request(_ demand: Subscribers.Demand) { self.demand += demand }
    func cancel() {
      cancelCount += 1
      if let subscriber { onCancel?(subscriber) }
    }
  }

  /// The operator between such a source and its subscriber.
  enum Kind: CaseIterable {
    case erased, mapped, merged, flattened, combined, combinedMany, delayed, timed

    fileprivate func publisher(of source: Source, _ loop: EventLoop) -> AnyPublisher<Int, Never> {
      switch self {
      case .erased: AnyLoopPublisher(source).eraseToAnyPublisher()
      case .mapped: AnyLoopPublisher(source).map { $0 }.eraseToAnyPublisher()
      case .merged: source.merge(with: Empty<Int, Never>(completeImmediately: false)).eraseToAnyPublisher()
      case .flattened: [1].publisher.flatMap { _ in source }.eraseToAnyPublisher()
      case .combined: source.combineLatest(Just(0)).map { $0.0 }.eraseToAnyPublisher()
      case .combinedMany:
        [source.eraseToAnyPublisher(), Just(0).eraseToAnyPublisher()].combineLatest().map { $0[0] }
          .eraseToAnyPublisher()
      case .delayed: source.delay(for: .milliseconds(1), scheduler: loop).eraseToAnyPublisher()
      case .timed: source.timeout(.seconds(1000), scheduler: loop).eraseToAnyPublisher()
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `A source that begins and sends on another thread is heard on the loop, and in order`(kind: Kind)
    async throws
  {
    try await withLoop { loop in
      let source = Source()
      source.isEager = false
      let (log, executor) = (Log<String>(), loop.executor)
      let probe = Probe<Int, Never>()
      probe.onValue = { log.append("\($0) \(executor.isOnLoop)") }
      probe.onCompletion = { log.append("\($0) \(executor.isOnLoop)") }
      kind.publisher(of: source, loop).subscribe(probe)
      try await loop.work { source.begin() }.value
      try await loop.until { source.demand > 0 }
      try await loop.work { for number in 0..<3 { source.send(number) } }.value
      try await loop.until { log.values.count == 3 }
      #expect(log.values == ["0 true", "1 true", "2 true"])
      probe.cancel()
      try await loop.until { source.cancelCount == 1 }
    }
  }

  @Test(arguments: Kind.allCases)
  func `A subscriber that has left hears nothing more, whatever the source sends while it is cancelled`(
    kind: Kind
  )
    async throws
  {
    try await withLoop { loop in
      for sendsValue in [true, false] {
        let source = Source()
        source.onCancel = { subscriber in
          if sendsValue { _ = subscriber.receive(9) } else { subscriber.receive(completion: .finished) }
        }
        let probe = Probe<Int, Never>()
        kind.publisher(of: source, loop).subscribe(probe)
        try await loop.until { source.demand > 0 }
        source.send(1)
        try await loop.until { probe.values == [1] }
        probe.cancel()
        try await loop.settle()
        #expect(source.cancelCount == 1)
        #expect(probe.values == [1] && probe.completions == [], "\(probe.heard)")
      }
    }
  }

  @Test func `The latest values of many come together, as often as one of them comes`() async throws {
    try await withCallbackLoop { loop in
      let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
      let probe = Probe<[Int], Never>()
      subjects.combineLatest().subscribe(probe)
      for (index, subject) in subjects.enumerated() { subject.send(index) }
      #expect(probe.values == [[0, 1, 2, 3]])
      subjects[2].send(7)
      subjects[0].send(8)
      #expect(probe.values == [[0, 1, 2, 3], [0, 1, 7, 3], [8, 1, 7, 3]])
      for subject in subjects { subject.send(completion: .finished) }
      #expect(probe.completions == [.finished])
      let none = Probe<[Int], Never>()
      [PassthroughSubject<Int, Never>]().combineLatest().subscribe(none)
      #expect(none.heard == [.subscription, .completion(.finished)])
    }
  }

  @Test func `A timeout's clock runs once its subscriber has the subscription, before it asks for anything`()
    async throws
  {
    try await withCallbackLoop { loop in
      /// Looks at the loop's timers when it gets its subscription.
      final class Looking: Subscriber {
        typealias Input = Int
        typealias Failure = Never
        let loop: EventLoop
        var timers: [Duration] = []
        var subscription: (any Subscription)?
        init(_ loop: EventLoop) { self.loop = loop }
        func receive(subscription: any Subscription) {
          self.subscription = subscription
          timers = loop.snapshot().timers.entries.map(\.dueIn)
        }
        func receive(_ input: Int) -> Subscribers.Demand { .none }
        func receive(completion: Subscribers.Completion<Never>) {}
      }
      let looking = Looking(loop)
      PassthroughSubject<Int, Never>().timeout(.seconds(500), scheduler: loop).subscribe(looking)
      #expect(looking.timers.count == 1 && looking.timers.allSatisfy { $0 > .seconds(400) })
      looking.subscription?.cancel()
    }
  }
}
#endif
