import UV

/// The branches of a future, and where the future comes from.
final class StreamNode<Output, Failure: Error>: Replaying {
  @exclusivity(unchecked) var branches: [Future<Output, Failure>.Branch] = []
  /// The future that this one was derived from.
  weak var parent: (any Replaying)?
  /// The other one, where there are two.
  weak var otherParent: (any Replaying)?
  /// A result on its way to this future.
  @exclusivity(unchecked) var replay: Replay?
  var canReplay = true
  /// The future itself, while it keeps itself.
  @exclusivity(unchecked) var itself: AnyObject?
  var name: String?
  var debugHandlers: [(String) -> Void] = []
  /// Lets go of the branches of a future that will never have a result; iteratively, for they may be long.
  func abandon() {
    if branches.isEmpty { return }
    var last: [Future<Output, Failure>.Branch]? = branches
    branches = []
    Trampoline.bounce { last = nil }
    _ = last
  }

  /// Notifies what is attached.
  func fulfill(_ settlement: Settlement<Output, Failure>) {
    let branches = branches
    self.branches = []
    replay = nil
    itself = nil
    for handler in debugHandlers { handler("\(name ?? "Future"): \(settlement)") }
    if !branches.isEmpty { Propagation.run { Propagation.visit(branches, settlement) } }
  }
}

/// Something that may have a result on its way to it.
protocol Replaying: AnyObject {
  var parent: (any Replaying)? { get }
  var otherParent: (any Replaying)? { get }
  var replay: Replay? { get }
}

/// A result that is delivered once: in the loop's next microtask, or before that if it is asked for.
final class Replay {
  private var body: (() -> Void)?
  init(_ body: @escaping () -> Void) { self.body = body }
  func run() {
    let body = body
    self.body = nil
    body?()
  }

  /// Both, where there is one already: the future has two parents.
  func after(_ first: Replay?) -> Replay {
    guard let first, first.body != nil else { return self }
    return Replay { [self] in
      first.run()
      run()
    }
  }
}

/// A future as its parent sees it.
protocol StreamChild: AnyObject {
  var parent: (any Replaying)? { get set }
  var otherParent: (any Replaying)? { get set }
  var replay: Replay? { get set }
}

extension StreamChild {
  /// Notes where it comes from.
  func derive(from node: any Replaying) { if parent == nil { parent = node } else { otherParent = node } }
}

extension StreamNode: StreamChild {}
