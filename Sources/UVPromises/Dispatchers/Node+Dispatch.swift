import UV

extension Node {
  /// Carries this promise to other threads and back.
  private func ticket(_ operation: String) -> RemoteTicket {
    guard let loop = EventLoop.current else {
      fatalError("\(operation) needs an event loop on its thread: call it inside EventLoop.run")
    }
    return RemoteTicket(self, of: loop)
  }

  /// Has `work` done elsewhere, and this promise settled by `finish` with what came of it.
  func settle<Output: Sendable>(
    on dispatcher: some Dispatcher, _ work: @escaping @Sendable () throws -> Output,
    finish: @escaping @Sendable (Node, Output) -> Void
  ) {
    let ticket = ticket("on:")
    dispatcher.dispatch {
      do {
        let output = try work()
        ticket.complete { finish(unsafeDowncast($0, to: Node.self), output) }
      } catch {
        ticket.complete { unsafeDowncast($0, to: Node.self).reject(error) }
      }
    }
  }

  /// A promise, made to wait for `source`, whose handler of values is done elsewhere.
  static func mapping<T: Sendable, Output: Sendable>(
    _ source: Node, on dispatcher: some Dispatcher, _ file: StaticString, _ line: UInt, flags: Flags = [],
    _ work: @escaping @Sendable (T) throws -> Output, finish: @escaping @Sendable (Node, T, Output) -> Void
  ) -> Node {
    Node(flags: flags.union(.isInline)) { node, source in
      guard source.state == .fulfilled else { return node.reject(source.failure) }
      let value = source.value(as: T.self)
      node.settle(on: dispatcher, { try work(value) }) { finish($0, value, $1) }
    }.following(source, file, line)
  }
}
