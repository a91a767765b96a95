/// Two streams that make one together. Each side holds on to it for as long as it may speak.
final class HotJoin<Left, Right, Output, Failure: Error> {
  private let left: (HotJoin, StreamEvent<Left, Failure>) -> Void
  private let right: (HotJoin, StreamEvent<Right, Failure>) -> Void
  private var child: Hot<Output, Failure>?
  fileprivate(set) var leftHasEnded = false
  fileprivate(set) var rightHasEnded = false

  init(
    _ child: Hot<Output, Failure>, left: @escaping (HotJoin, StreamEvent<Left, Failure>) -> Void,
    right: @escaping (HotJoin, StreamEvent<Right, Failure>) -> Void
  ) {
    self.child = child
    self.left = left
    self.right = right
  }

  func start(_ stream: Hot<Left, Failure>, _ other: some AnyStream<Right, Failure>) {
    if !stream.canReplay { child?.canReplay(false) }
    let left = HotJoinSide(self, left) { $0.leftHasEnded = true }
    let leftBranch = Hot<Left, Failure>.Branch { left.speak($0) }
    stream.attach(leftBranch)
    guard child != nil else { return }
    let right = HotJoinSide(self, right) { $0.rightHasEnded = true }
    let rightBranch = Hot<Right, Failure>.Branch { right.speak($0) }
    let other = other.asHot
    other.attach(rightBranch)
    child?.replayFromParent = { [weak stream, weak other, weak leftBranch, weak rightBranch] in
      stream?.replay(to: leftBranch)
      other?.replay(to: rightBranch)
    }
  }

  fileprivate var goesOn: Bool {
    if let child, child.isActive { return true }
    child = nil
    return false
  }

  func emit(_ event: StreamEvent<Output, Failure>) {
    guard let child else { return }
    if case .terminate = event { self.child = nil }
    child.receive(event)
  }
}

/// One side of a join. It may be let go without having ended; the other side then goes on alone.
private final class HotJoinSide<Value, Left, Right, Output, Failure: Error> {
  typealias Both = HotJoin<Left, Right, Output, Failure>
  private let join: Both
  private let body: (Both, StreamEvent<Value, Failure>) -> Void
  private let noteEnd: (Both) -> Void

  init(
    _ join: Both, _ body: @escaping (Both, StreamEvent<Value, Failure>) -> Void,
    noteEnd: @escaping (Both) -> Void
  ) {
    self.join = join
    self.body = body
    self.noteEnd = noteEnd
  }

  deinit { noteEnd(join) }

  func speak(_ event: StreamEvent<Value, Failure>) -> Bool {
    if case .terminate = event { noteEnd(join) }
    body(join, event)
    return join.goesOn
  }
}
