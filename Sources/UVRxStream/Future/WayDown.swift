/// The way of a further result from one promise of a chain to the next. The rest of it is let go without
/// calls that nest.
final class WayDown<Output, Failure: Error> {
  private var step: ((Settlement<Output, Failure>) -> Void)?

  init(_ step: @escaping (Settlement<Output, Failure>) -> Void) { self.step = step }

  deinit {
    var last = step.take()
    if last != nil { Trampoline.nest { last = nil } }
  }

  func take(_ settlement: Settlement<Output, Failure>) {
    guard let step else { return }
    Propagation.run { step(settlement) }
  }
}
