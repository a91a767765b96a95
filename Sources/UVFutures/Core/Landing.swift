/// A step in a long chain that hands everything on from the ground of the call stack: signals on their way
/// down, demand and cancellation on their way up, and the release of what follows.
@usableFromInline
final class Landing<Input, Failure: Error>: Subscription {
  private var next: Downstream<Input, Failure>?
  private let height: Int
  private var upstream: Link?

  @usableFromInline
  init(_ next: Downstream<Input, Failure>) {
    self.next = next
    height = (next.height / 64 + 1) * 64
  }

  deinit {
    // Lets go of the rest of the chain from the ground: a release is a call for each object, too.
    guard next != nil else { return }
    var rest = next
    next = nil
    Trampoline.bounce { rest = nil }
    _ = rest
  }

  @usableFromInline
  var downstream: Downstream<Input, Failure> {
    Downstream(self, height: height) { [self] in receive($0) }
  }

  private func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    var answer = Subscribers.Demand.none
    var isInside = true
    Trampoline.bounce { [self] in
      let demand = handOn(signal)
      if isInside { answer = demand } else if demand > 0 { upstream?.request(demand) }
    }
    isInside = false
    return answer
  }

  private func handOn(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    // Cancelled while the signal waited.
    guard let next else { return .none }
    switch signal {
    case .value(let value): return next.receive(value)
    case .subscription(let subscription):
      upstream = subscription
      next.receive(link: self)
    case .completion(let completion):
      self.next = nil
      upstream = nil
      next.receive(completion: completion)
    }
    return .none
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    Trampoline.bounce { [self] in upstream?.request(demand) }
  }

  @usableFromInline
  func cancel() {
    guard let upstream else { return }
    self.upstream = nil
    let rest = next
    next = nil
    Trampoline.bounce {
      upstream.cancel()
      _ = rest
    }
  }
}
