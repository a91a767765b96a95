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
      expectOperator("Throttle") { $0.throttle(for: 1, scheduler: loop, latest: true) }
      expectOperator("Timeout") { $0.timeout(1, scheduler: loop) }
      expectOperator("Debounce", children: ["downstream", "downstreamDemand", "currentValue"]) {
        $0.debounce(for: 1, scheduler: loop)
      }
    }
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
