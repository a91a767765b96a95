/// Two streams that make one together.
///
/// The left side holds on to it for as long as it may speak. The right side alone, which may be any publisher, does only while
/// somebody could hear what it says: a subject never tells that it has been let go.
final class HotJoin<Left, Right, Output, Failure: Error> {
  private let left: (HotJoin, StreamEvent<Left, Failure>) -> Void
  private let right: (HotJoin, StreamEvent<Right, Failure>) -> Void
  private var child: Hot<Output, Failure>?
  /// The same, where it keeps this, and not this it.
  private weak var unheard: Hot<Output, Failure>?
  private var subscription: AnyCancellable?
  /// Itself, while the right side alone keeps it.
  private var itself: HotJoin?
  private(set) var leftHasEnded = false
  private(set) var rightHasEnded = false

  init(
    _ child: Hot<Output, Failure>, left: @escaping (HotJoin, StreamEvent<Left, Failure>) -> Void,
    right: @escaping (HotJoin, StreamEvent<Right, Failure>) -> Void
  ) {
    self.child = child
    self.left = left
    self.right = right
  }

  deinit { subscription?.cancel() }

  func start(_ stream: Hot<Left, Failure>, _ other: some Publisher<Right, Failure>) {
    if !stream.canReplay { child?.canReplay(false) }
    let hold = LeftHold(self)
    stream.attach(Hot<Left, Failure>.Branch { hold.speak($0) })
    guard child != nil else { return }
    if let other = other as? any HotStream<Right, Failure> {
      other.asHot.attach(Hot<Right, Failure>.Branch { [self] in rightSpeaks($0) })
      return
    }
    let sink = Sink<Right, Failure> { [weak self] completion in
      switch completion {
      case .finished: self?.rightSpeaks(.terminate(reason: .completed))
      case .failure(let error): self?.rightSpeaks(.terminate(reason: .error(error)))
      }
    } _: { [weak self] in
      self?.rightSpeaks(.next($0))
    }
    sink.downstream.attach(toAny: other, through: nil)
    let subscription = AnyCancellable { sink.cancel() }
    if child == nil { subscription.cancel() } else { self.subscription = subscription }
  }

  private func leftSpeaks(_ event: StreamEvent<Left, Failure>) -> Bool {
    if case .terminate = event { leftHasEnded = true }
    left(self, event)
    return goesOn
  }

  @discardableResult
  private func rightSpeaks(_ event: StreamEvent<Right, Failure>) -> Bool {
    if case .terminate = event { rightHasEnded = true }
    right(self, event)
    return goesOn
  }

  private var goesOn: Bool {
    if let child = child ?? unheard, child.isActive { return true }
    letGo()
    return false
  }

  /// The left side says nothing more.
  private func leftIsGone() {
    leftHasEnded = true
    guard child != nil, subscription != nil else { return }
    if child!.isHeard { return itself = self }
    // As long as nobody listens, the right side goes on for who knows the stream, and no longer.
    unheard = child
    unheard?.whenHeard = { [self] in
      child = unheard
      itself = self
    }
    child = nil
  }

  func emit(_ event: StreamEvent<Output, Failure>) {
    guard let child = child ?? unheard else { return }
    if case .terminate = event { letGo() }
    child.receive(event)
  }

  private func letGo() {
    let (subscription, itself) = (subscription, itself)
    (child ?? unheard)?.whenHeard = nil
    child = nil
    unheard = nil
    self.subscription = nil
    self.itself = nil
    subscription?.cancel()
    _ = itself
  }

  /// The left side's values.
  private final class LeftHold {
    private let join: HotJoin
    init(_ join: HotJoin) { self.join = join }
    deinit { join.leftIsGone() }
    func speak(_ event: StreamEvent<Left, Failure>) -> Bool { join.leftSpeaks(event) }
  }
}
