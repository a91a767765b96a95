import UV

/// Carries a promise to other threads and back: holds on to it there, keeps its loop running meanwhile, and
/// has it settled, and let go of, on the loop's thread.
// Sound: the promise is touched on the loop's thread only, and the flag by whoever completes, once.
final class RemoteTicket: @unchecked Sendable {
  private let executor: LoopExecutor
  private var node: Node?

  init(_ node: Node, _ operation: String) {
    guard let loop = EventLoop.current else {
      fatalError("\(operation) needs an event loop on its thread: call it inside EventLoop.run")
    }
    executor = loop.executor
    self.node = node
    loop.beginWork()
  }

  deinit {
    if node != nil { finish { _ in } }
  }

  /// Has `body` called with the promise on the loop's thread. Only to be called once. Dropped if the loop has
  /// ended.
  func complete(_ body: @escaping @Sendable (Node) -> Void) { finish(body) }

  private func finish(_ body: @escaping @Sendable (Node) -> Void) {
    let parcel = Parcel(node: node.take())
    try? executor.execute { loop in
      loop.endWork()
      parcel.open(body)
    }
  }

  /// The promise on its way.
  // Sound: it is opened on the loop's thread.
  private final class Parcel: @unchecked Sendable {
    private var node: Node?

    init(node: Node?) { self.node = node }

    func open(_ body: (Node) -> Void) {
      if let node = node.take() { body(node) }
    }
  }
}
