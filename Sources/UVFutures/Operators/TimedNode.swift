#if canImport(Combine) || Futures || Everything
import UV

/// A subscription that keeps time on a loop, where everything is delivered. Everything but its ends is
/// touched there alone.
class TimedNode<Input, Failure: Error>: DescribedSubscription {
  final let executor: LoopExecutor
  final let ends: Ends<Input, Failure>
  /// The demand that the subscriber has not been given yet.
  final var demand = Subscribers.Demand.none
  final var timer = PendingRequest()
  private let height: Int

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop) {
    let next = downstream.grounded()
    ends = Ends(next)
    height = next.height + 1
    executor = loop.executor
  }

  class var operatorName: String { "\(self)" }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  final func subscribe(to upstream: some Publisher<Input, Failure>) {
    Downstream<Input, Failure>(self, height: height) { [self] in receive($0) }.attach(to: upstream)
  }

  /// Takes a signal, on whatever thread.
  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let link): if let downstream = ends.connect(link) { begin(link, downstream) }
    case .value(let value): onLoop(executor) { [self] in receive(value, on: $0) }
    case .completion(let completion): onLoop(executor) { [self] in receive(completion, on: $0) }
    }
    return .none
  }

  /// Hands the subscription over, and asks for everything.
  func begin(_ link: Link, _ downstream: Downstream<Input, Failure>) {
    downstream.receive(link: self)
    link.request(.unlimited)
  }

  /// Takes a value; on the loop.
  func receive(_ value: Input, on loop: EventLoop) {}

  /// Takes the end; on the loop.
  func receive(_ completion: Subscribers.Completion<Failure>, on loop: EventLoop) {}

  /// Calls `body` after `delay`, unless the timer is cancelled or the loop ends before.
  final func wait(_ delay: Duration, on loop: EventLoop, _ body: @escaping () -> Void) {
    timer = loop.sleep(for: delay) { if case .success = $0 { body() } }
  }

  func request(_ more: Subscribers.Demand) { onLoop(executor) { [self] _ in demand += more } }

  final func cancel() {
    // First, so that nothing which comes to the loop after this starts the timer again.
    ends.cancel()
    onLoop(executor) { [self] _ in
      timer.cancel()
      dropWaiting()
    }
  }

  /// Lets go of what waits; on the loop.
  func dropWaiting() {}
}
#endif
