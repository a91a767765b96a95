#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// What subscribers and subscriptions show in a debugger and in a playground, beside OpenCombine's.
@Suite struct DescriptionTests {
  /// A publisher of somebody else's, which keeps its subscriber.
  final class Spy: Publisher {
    typealias Output = Int
    typealias Failure = Trouble
    private(set) var subscriber: Any?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Trouble {
      self.subscriber = subscriber
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }

  private func expect(_ found: Any?, isDescribedAs name: String, children: [String?] = []) {
    // An optional has a mirror of its own.
    guard let thing = found else {
      Issue.record("nothing to describe")
      return
    }
    #expect((thing as? any CustomStringConvertible)?.description == name)
    #expect((thing as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? String == name)
    #expect((thing as? any CustomReflectable)?.customMirror.children.map(\.label) == children)
  }

  private func shownChildren(of found: (any Subscription)?) -> [String] {
    guard let thing = found else { return [] }
    return Mirror(reflecting: thing).children.map { "\($0.value)" }
  }

  @Test func `A future's subscription shows the future until it has delivered`() {
    for initial in [Subscribers.Demand.unlimited, .none] {
      var resolve: Future<Int, Trouble>.Promise?
      let future = Future<Int, Trouble> { resolve = $0 }
      let probe = Probe<Int, Trouble>(initial)
      func parent() -> Any? { probe.subscription.flatMap { Mirror(reflecting: $0).descendant("parent") } }
      func isShown() -> Bool { "\(parent() ?? "")".contains("UVFutures.Future") }
      future.subscribe(probe)
      #expect(isShown())
      var shownMeanwhile: Bool?
      probe.onValue = { _ in shownMeanwhile = isShown() }
      resolve?(.success(1))
      if initial == .none { probe.request(.max(1)) }
      #expect(shownMeanwhile == true && !isShown() && probe.completions == [.finished])
    }
  }

  private func expectOperator<P: Publisher>(
    _ name: String, children: [String?] = [], isSubscription: Bool = true, _ make: (Spy) -> P
  ) where P.Output: Equatable, P.Failure == Trouble {
    let (spy, probe) = (Spy(), Probe<P.Output, Trouble>())
    make(spy).subscribe(probe)
    expect(spy.subscriber, isDescribedAs: name)
    if isSubscription { expect(probe.subscription, isDescribedAs: name, children: children) }
    probe.cancel()
  }

  @Test("The subscribers and subscriptions of operators describe themselves by Combine's names")
  func operators() async throws {
    try await withCallbackLoop { loop in
      expectOperator("Map", isSubscription: false) { $0.eraseToAnyLoop().map { $0 + 1 } }
      expectOperator("FlatMap") { $0.eraseToAnyLoop().flatMap { Just($0).setFailureType(to: Trouble.self) } }
      expectOperator("Merge") { $0.merge(with: Empty<Int, Trouble>(completeImmediately: false)) }
      expectOperator("CombineLatest") {
        $0.combineLatest(Empty<Int, Trouble>(completeImmediately: false)) { $0 + $1 }
      }
      expectOperator("CollectByTime") { $0.collect(.byTime(loop, 1)) }
      expectOperator("Delay") { $0.delay(for: 1, scheduler: loop) }
      expectOperator("ReceiveOn") { $0.eraseToAnyLoop().receive(on: loop) }
      expectOperator("Throttle") { $0.throttle(for: 1, scheduler: loop, latest: true) }
      expectOperator("Timeout") { $0.timeout(1, scheduler: loop) }
      expectOperator("Debounce", children: ["downstream", "downstreamDemand", "currentValue"]) {
        $0.debounce(for: 1, scheduler: loop)
      }
    }
  }

  @Test func `Where there is no loop, subscriptions describe themselves in the same way`() async throws {
    try await withThread {
      let tests = DescriptionTests()
      tests.expectOperator("FlatMap") {
        $0.eraseToAnyLoop().flatMap { Just($0).setFailureType(to: Trouble.self) }
      }
      tests.expectOperator("Merge") { $0.merge(with: Empty<Int, Trouble>(completeImmediately: false)) }
      tests.expectOperator("CombineLatest") {
        $0.combineLatest(Empty<Int, Trouble>(completeImmediately: false)) { $0 + $1 }
      }
      let probe = Probe<Int, Trouble>(.none)
      let future = Future<Int, Trouble> { _ in }
      future.subscribe(probe)
      tests.expect(
        probe.subscription, isDescribedAs: "Future",
        children: ["parent", "downstream", "hasAnyDemand", "subject"])
      probe.cancel()
    }
  }

  @Test("A flatMap over publishers that are values calls itself flatMap, and every side of a merge merge")
  func flatMapOrMerge() async throws {
    try await withCallbackLoop { _ in
      let (first, second, probe) = (Spy(), Spy(), Probe<Int, Trouble>())
      AnyLoopPublisher([first, second].publisher.setFailureType(to: Trouble.self)).flatMap { $0 }
        .subscribe(probe)
      for thing in [first.subscriber, second.subscriber, probe.subscription] {
        expect(thing, isDescribedAs: "FlatMap")
      }
      let (left, right, merged) = (Spy(), Spy(), Probe<Int, Trouble>())
      left.merge(with: right).subscribe(merged)
      for thing in [left.subscriber, right.subscriber, merged.subscription] {
        expect(thing, isDescribedAs: "Merge")
      }
      probe.cancel()
      merged.cancel()
    }
  }

  @Test("An operator that hands on the subscription of another library's publisher shows that")
  func handedOn() async throws {
    let look: @Sendable () -> Void = {
      let subject = PassthroughSubject<Int, Trouble>()
      let (erased, mapped) = (Probe<Int, Trouble>(), Probe<Int, Trouble>())
      AnyLoopPublisher(subject).subscribe(erased)
      AnyLoopPublisher(subject).map { $0 + 1 }.subscribe(mapped)
      for probe in [erased, mapped] {
        DescriptionTests().expect(
          probe.subscription, isDescribedAs: "PassthroughSubject",
          children: ["parent", "downstream", "demand", "subject"])
        probe.cancel()
      }
    }
    try await withCallbackLoop { _ in look() }
    try await withThread { look() }
  }

  @Test("The subscription to a future shows the future, its subscriber and whether that has asked")
  func future() async throws {
    try await withCallbackLoop { _ in
      let labels = ["parent", "downstream", "hasAnyDemand", "subject"]
      let (pending, waiting) = (
        Future<Int, Trouble>.pending(on: .current!).future, Probe<Int, Trouble>(.none)
      )
      pending.subscribe(waiting)
      expect(waiting.subscription, isDescribedAs: "Future", children: labels)
      let shown = shownChildren(of: waiting.subscription)
      #expect(
        zip(shown, ["Future<", "Probe<", "false", "Future<"]).allSatisfy { $0.contains($1) }, "\(shown)")

      let ended = Probe<Int, Trouble>(.none)
      Future<Int, Trouble> { $0(.failure(.first)) }.subscribe(ended)
      expect(ended.subscription, isDescribedAs: "Future", children: labels)
      #expect(shownChildren(of: ended.subscription) == ["nil", "nil", "false", "nil"])
      waiting.cancel()
    }
  }
}

extension Publisher {
  fileprivate func eraseToAnyLoop() -> AnyLoopPublisher<Output, Failure> { AnyLoopPublisher(self) }
}
#endif
