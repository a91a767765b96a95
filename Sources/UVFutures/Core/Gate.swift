import UV

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Lets work in one piece at a time, whatever threads it comes from, where there is no loop to bring it to.
///
/// No thread waits for another: one that finds the gate occupied leaves its work to the thread inside, and
/// goes on. So nothing that is called from inside can end in a deadlock. A thread that is inside may come in
/// again.
@usableFromInline
// Sound: its state is touched under the lock.
final class Gate: @unchecked Sendable {
  private let lock = Lock()
  private var owner: pthread_t?
  private var depth = 0
  private var left: [() -> Void] = []

  /// A gate if the calling thread has no loop.
  @usableFromInline
  static var unlessOnLoop: Gate? { EventLoop.current == nil ? Gate() : nil }

  @usableFromInline
  init() {}

  deinit { lock.deallocate() }

  /// Runs `work` now; where another thread is inside, that thread does, afterwards.
  @usableFromInline
  func run(_ work: @escaping () -> Void) {
    guard enter(orLeave: work) else { return }
    work()
    leave()
  }

  /// Whether the caller is inside now, to call ``leave()``; otherwise `work` has been left to the thread that
  /// is.
  @usableFromInline
  func enter(orLeave work: @escaping () -> Void) -> Bool {
    let thread = pthread_self()
    return lock.withLock {
      if let owner, pthread_equal(owner, thread) == 0 {
        left.append(work)
        return false
      }
      owner = thread
      depth += 1
      return true
    }
  }

  /// Does what other threads have left, and opens the gate.
  @usableFromInline
  func leave() {
    while true {
      let work: [() -> Void] = lock.withLock {
        if depth > 1 || left.isEmpty {
          depth -= 1
          if depth == 0 { owner = nil }
          return []
        }
        defer { left = [] }
        return left
      }
      if work.isEmpty { return }
      for work in work { work() }
    }
  }

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
      if more > 0 { upstream?.request(more) }
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
