#if canImport(Combine) || Futures || Everything
public import UV

extension Gate {
  /// A subscriber whose signals come through the gate.
  @usableFromInline
  func guarding<Input, Failure: Error>(_ next: Downstream<Input, Failure>) -> Downstream<Input, Failure> {
    let step = GateStep(self, next)
    return Downstream(next.combineIdentifier, next.label, height: next.height + 1) { step.receive($0) }
  }

  /// A subscription whose calls go through the gate.
  @usableFromInline
  func guarding(_ link: Link) -> Link { GateLink(self, link) }
}

/// A signal that has to wait, as an object: it knows whom to ask for more.
private final class GateStep<Input, Failure: Error> {
  private let gate: Gate
  private let next: Downstream<Input, Failure>
  private var upstream: Link?

  init(_ gate: Gate, _ next: Downstream<Input, Failure>) {
    self.gate = gate
    self.next = next
  }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    let isInside = gate.enter { [self] in
      let more = handOn(signal)
      if more > 0 { ask(upstream, for: more) }
    }
    guard isInside else { return .none }
    defer { gate.leave() }
    return handOn(signal)
  }

  private func handOn(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    if case .subscription(let link) = signal { upstream = link }
    if case .completion = signal { upstream = nil }
    return next.deliver(signal)
  }
}

/// A subscription behind a gate.
private final class GateLink: FrontSubscription {
  private let gate: Gate
  private let link: Link

  init(_ gate: Gate, _ link: Link) {
    self.gate = gate
    self.link = link
  }

  var upstream: (any Subscription)? { link }

  func request(_ demand: Subscribers.Demand) {
    require(demand > 0, "API violation: demand must not be zero")
    gate.run { [link] in link.request(demand) }
  }

  func cancel() { gate.run { [link] in link.cancel() } }
}
#endif
