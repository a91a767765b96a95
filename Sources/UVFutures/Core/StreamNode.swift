import UV

/// The part of a future that RxStream's operators need: what is attached to it, and where it comes from.
@usableFromInline
final class StreamNode<Output, Failure: Error>: Replaying {
  @usableFromInline typealias Branch = (Settlement<Output, Failure>) -> Void

  @usableFromInline @exclusivity(unchecked) var branches: [Branch] = []
  /// The future that this one was derived from.
  @usableFromInline weak var parent: (any Replaying)?
  /// The other one, where there are two.
  @usableFromInline weak var otherParent: (any Replaying)?
  /// A result on its way to this future.
  @usableFromInline @exclusivity(unchecked) var replay: Replay?
  @usableFromInline var canReplay = true
  /// The future itself, while it keeps itself.
  @usableFromInline @exclusivity(unchecked) var itself: AnyObject?
  @usableFromInline var name: String?
  @usableFromInline var debugHandlers: [(String) -> Void] = []

  @inlinable
  init() {}

  /// Lets go of the branches of a future that will never have a result; iteratively, for they may be long.
  func abandon() {
    if branches.isEmpty { return }
    var last: [Branch]? = branches
    branches = []
    Trampoline.bounce { last = nil }
    _ = last
  }
}

/// Something that may have a result on its way to it.
@usableFromInline
protocol Replaying: AnyObject {
  var parent: (any Replaying)? { get }
  var otherParent: (any Replaying)? { get }
  var replay: Replay? { get }
}

/// A result that is delivered once: in the loop's next microtask, or before that if it is asked for.
@usableFromInline
final class Replay {
  private var body: (() -> Void)?

  @usableFromInline
  init(_ body: @escaping () -> Void) { self.body = body }

  @usableFromInline
  func run() {
    let body = body
    self.body = nil
    body?()
  }

  /// Both, where there is one already: the future has two parents.
  @usableFromInline
  func after(_ first: Replay?) -> Replay {
    guard let first, first.body != nil else { return self }
    return Replay { [self] in
      first.run()
      run()
    }
  }
}

extension Future {
  /// What RxStream's operators need, made when the first is used.
  @inlinable
  final var streamNode: StreamNode<Output, Failure> {
    if let stream { return stream }
    let stream = StreamNode<Output, Failure>()
    self.stream = stream
    return stream
  }

  final var hasBranches: Bool { !(stream?.branches.isEmpty ?? true) }

  /// How many operators are attached and have not been told the result.
  package final var branchCount: Int { stream?.branches.count ?? 0 }

  /// A future that `body` settles once this one is.
  @inlinable
  final func derive<T, E: Error>(
    _ body: @escaping (Settlement<Output, Failure>, Future<T, E>) -> Void
  ) -> Future<T, E> {
    derive(into: Future<T, E>(), body)
  }

  /// Has `body` settle `child` once this future is.
  @discardableResult
  @inlinable
  final func derive<T, E: Error, Child: Future<T, E>>(
    into child: Child, _ body: @escaping (Settlement<Output, Failure>, Child) -> Void
  ) -> Child {
    child.gate = gate
    attach({ body($0, child) }, for: child.streamNode)
    return child
  }

  /// Calls `branch` with the result: when it comes, or soon if it is there.
  @inlinable
  final func attach(_ branch: @escaping (Settlement<Output, Failure>) -> Void, for child: any StreamChild) {
    if let gate {
      gate.run { [self] in attachNow(branch, for: child) }
    } else {
      attachNow(branch, for: child)
    }
  }

  @inlinable
  final func attachNow(
    _ branch: @escaping (Settlement<Output, Failure>) -> Void, for child: any StreamChild
  ) {
    if !isSettled {
      child.derive(from: streamNode)
      streamNode.branches.append(branch)
      if startWork != nil { startWorkNow() }
      return
    }
    attachLate(branch, for: child)
  }

  @usableFromInline
  final func attachLate(
    _ branch: @escaping (Settlement<Output, Failure>) -> Void, for child: any StreamChild
  ) {
    guard let outcome, streamNode.canReplay else { return }
    let replay = Replay { Propagation.run { branch(outcome) } }
    child.replay = replay.after(child.replay)
    EventLoop.needed(for: "attaching to a completed future").queueMicrotask { replay.run() }
  }

  /// Tells what is attached.
  @inlinable
  final func fulfillBranches(_ settlement: Settlement<Output, Failure>) {
    guard let stream else { return }
    let branches = stream.branches
    stream.branches = []
    stream.replay = nil
    if stream.itself != nil { stream.itself = nil }
    if !stream.debugHandlers.isEmpty {
      for handler in stream.debugHandlers { handler("\(stream.name ?? "Future"): \(settlement)") }
    }
    Propagation.run { Propagation.visit(branches, settlement) }
  }
}

/// A future as its parent sees it.
@usableFromInline
protocol StreamChild: AnyObject {
  var parent: (any Replaying)? { get set }
  var otherParent: (any Replaying)? { get set }
  var replay: Replay? { get set }
}

extension StreamChild {
  /// Notes where it comes from.
  @inlinable
  func derive(from node: any Replaying) { if parent == nil { parent = node } else { otherParent = node } }
}

extension StreamNode: StreamChild {}
