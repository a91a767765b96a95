#if Everything
import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// Another library's operators ask and cancel on whatever thread; a loop's publisher hears it on its loop.
@Suite struct ForeignSubscriberTests {
  /// Calls to a subscription, in order, each with whether it came on the loop.
  private typealias Calls = Log<String>

  /// A publisher of somebody else's, which sends nothing until asked to, and notes what its subscription is
  /// asked.
  // Sound: the tests touch it on one thread at a time; its log has a lock.
  private final class Source: Publisher, Subscription, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = Never
    let calls: Calls
    private let executor: LoopExecutor
    private var subscriber: (any Subscriber<Int, Never>)?

    init(_ loop: EventLoop, _ calls: Calls) { (executor, self.calls) = (loop.executor, calls) }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      self.subscriber = subscriber
      subscriber.receive(subscription: self)
    }

    func send(_ value: Int) { _ = subscriber?.receive(value) }

    private func note(_ call: String) { calls.append(executor.isOnLoop ? call : "\(call) elsewhere") }
    func request(_ demand: Subscribers.Demand) { note("request \(demand)") }
    func cancel() {
      note("cancel")
      subscriber = nil
    }
  }

  /// Runs `body` on another thread while the loop runs, and `end` on the loop when it is through.
  private static func elsewhere(
    _ loop: EventLoop, _ body: @escaping () -> Void, then end: @escaping () -> Void = {}
  ) {
    let work = Box(body)
    loop.work {
      work.value!()
    } _: { _ in
      end()
    }
  }

  /// What stands between a source of somebody else's and its subscriber.
  enum Kind: CaseIterable {
    case erased, mapped, merged, flattened, combined
  }

  private static func publisher(_ kind: Kind, of source: Source) -> AnyPublisher<Int, Never> {
    switch kind {
    case .erased: AnyLoopPublisher(source).eraseToAnyPublisher()
    case .mapped: AnyLoopPublisher(source).map { $0 }.eraseToAnyPublisher()
    case .merged: source.merge(with: Empty<Int, Never>(completeImmediately: false)).eraseToAnyPublisher()
    case .flattened: [1].publisher.flatMap { _ in source }.eraseToAnyPublisher()
    case .combined: source.combineLatest(Just(0)).map { $0.0 }.eraseToAnyPublisher()
    }
  }

  @Test(
    "Demand and cancellation that come on another thread are passed on, in order, on the loop",
    arguments: Kind.allCases)
  func callsFromElsewhere(kind: Kind) async throws {
    let calls = Calls()
    try await withCallbackLoop { loop in
      let probe = Probe<Int, Never>(.none)
      Self.publisher(kind, of: Source(loop, calls)).subscribe(probe)
      let before = calls.values.count
      Self.elsewhere(loop) {
        probe.request(.max(2))
        probe.request(.unlimited)
        probe.cancel()
        probe.cancel()
      }
      loop.eventually(calls.values.last == "cancel") {
        #expect(calls.values.dropFirst(before).filter { $0 == "cancel" }.count == 1)
        #expect(calls.values.allSatisfy { !$0.hasSuffix("elsewhere") }, "\(calls.values)")
      }
    }
  }

  @Test("A merge that moves to a queue is cancelled on the loop when the queue has had enough")
  func mergedAndMoved() async throws {
    let (calls, heard) = (Calls(), Log<Int>())
    try await withCallbackLoop { loop in
      let source = Source(loop, calls)
      let queue = DispatchQueue(label: "moved")
      let token = source.merge(with: Empty<Int, Never>(completeImmediately: false))
        .receive(on: queue).prefix(3).sink { heard.append($0) }
      for value in 1...5 { source.send(value) }
      loop.eventually(calls.values.contains { $0.hasPrefix("cancel") }) { token.cancel() }
    }
    #expect(heard.values == [1, 2, 3])
    #expect(calls.values.filter { $0 == "cancel" } == ["cancel"])
    #expect(calls.values.allSatisfy { !$0.hasSuffix("elsewhere") })
  }

  @Test("Ticks that move to a queue stop when the queue has had enough", .timeLimit(.minutes(1)))
  func ticksMoved() async throws {
    let heard = Log<Int>()
    try await withCallbackLoop { loop in
      let queue = DispatchQueue(label: "moved")
      let token = loop.ticks(every: .milliseconds(1)).publisher().receive(on: queue).prefix(3)
        .sink(receiveCompletion: { _ in heard.append(-1) }, receiveValue: { heard.append($0.index) })
      loop.eventually(heard.values.last == -1) { withExtendedLifetime(token) {} }
    }
    #expect(heard.values.count == 4)
  }

  @Test("A request that is cancelled from a queue lets the loop end", .timeLimit(.minutes(1)))
  func requestCancelledFromAQueue() async throws {
    try await withCallbackLoop { loop in
      let token = Box(
        loop.sleep(for: .untilCancelled).publisher().receive(on: DispatchQueue.global())
          .sink(receiveCompletion: { _ in }, receiveValue: {}))
      // Another thread, when the loop sleeps.
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { token.value!.cancel() }
    }
  }

  @Test("On the loop's thread demand is met, and a subscription cancelled, within the call")
  func onTheLoop() async throws {
    try await withCallbackLoop { _ in
      let probe = Probe<Int, Never>(.none)
      (1...5).publisher.merge(with: Empty<Int, Never>()).subscribe(probe)
      probe.request(.max(2))
      #expect(probe.values == [1, 2])
      probe.cancel()
      probe.request(.max(2))
      #expect(probe.values == [1, 2])
    }
  }

  @Test("After the loop's end a cancellation from another thread still arrives, and demand is dropped")
  func afterTheEnd() async throws {
    let calls = Calls()
    let kept = Box<Probe<Int, Never>>(Probe(.none))
    weak let probe = kept.value
    let source = try await withCallbackLoop { loop in
      let source = Source(loop, calls)
      source.merge(with: Empty<Int, Never>(completeImmediately: false)).subscribe(kept.value!)
      return source
    }
    let before = calls.values.count
    try await withThread {
      kept.value!.request(.max(1))
      kept.value!.cancel()
      kept.value = nil
    }
    let after = calls.values.dropFirst(before)
    #expect(after.count == 1 && after.last!.hasPrefix("cancel"))
    #expect(probe == nil)
    withExtendedLifetime(source) {}
  }

  @Test func `Subscriptions are used by several threads at once while their loop delivers`() async throws {
    try await withLoop { loop in
      for _ in 0..<50 {
        let subject = PassthroughSubject<Int, Never>()
        let (pending, resolver) = Future<Int, Never>.pending(on: loop)
        let probes = Box((0..<4).map { _ in Probe<Int, Never>(.none) })
        subject.merge(with: subject).subscribe(probes.value![0])
        AnyLoopPublisher(subject).subscribe(probes.value![1])
        [1, 2].publisher.flatMap { _ in subject }.subscribe(probes.value![2])
        pending.subscribe(probes.value![3])
        let work = loop.spawn {
          try await loop.work {
            DispatchQueue.concurrentPerform(iterations: 8) { index in
              let subscription = Box(probes.value![index / 2].subscription!)
              if index.isMultiple(of: 2) {
                for _ in 0..<10 { subscription.value!.request(.max(1)) }
              } else {
                subscription.value!.cancel()
              }
            }
          }.value
        }
        for value in 0..<20 {
          subject.send(value)
          try await loop.sleep(for: .zero).value
        }
        try await work.value
        withExtendedLifetime(resolver) {}
      }
    }
  }
}
#endif
