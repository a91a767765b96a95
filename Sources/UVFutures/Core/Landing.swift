#if canImport(Combine) || Futures || Everything
/// A step in a long chain that hands everything on from the ground of the call stack: signals on their way
/// down, demand and cancellation on their way up, and the release of what follows.
@usableFromInline
final class Landing<Input, Failure: Error>: Relay<Input, Failure> {
  private let height: Int

  @usableFromInline
  override init(_ next: Downstream<Input, Failure>) {
    height = (next.height / 64 + 1) * 64
    super.init(next)
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
      if isInside { answer = handOn(signal) } else { handOnLate(signal) }
    }
    isInside = false
    return answer
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) { Trampoline.bounce { super.request(demand) } }

  @usableFromInline
  override func cancel() {
    guard upstream != nil else { return }
    let (last, link) = (next, upstream)
    (next, upstream) = (nil, nil)
    Trampoline.bounce {
      link?.cancel()
      _ = last
    }
  }
}
#endif
