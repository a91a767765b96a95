import UV

extension Node {
  /// Carries this promise to other threads and back.
  private func ticket(_ operation: String) -> RemoteTicket {
    if let loop = EventLoop.current { return RemoteTicket(carrying: self, of: loop) }
    if let batch = LoopBatch.current { return batch.open(self) }
    fatalError("\(operation) needs an event loop on its thread: call it inside EventLoop.run")
  }

  /// Has `work` done elsewhere, and this promise settled by `finish` with what came of it.
  func settle<Output: Sendable>(
    on dispatcher: some Dispatcher, _ work: @escaping @Sendable () throws -> Output,
    finish: @escaping @Sendable (Node, Output) -> Void
  ) {
    let ticket = ticket("on:")
    dispatcher.dispatch {
      do {
        let output = try ticket.runElsewhere(work)
        ticket.complete { finish(unsafeDowncast($0, to: Node.self), output) }
      } catch {
        ticket.complete { unsafeDowncast($0, to: Node.self).reject(error) }
      }
    }
  }

  /// Has `work` make a promise elsewhere, which comes to the loop of this one and is given to `adopt` there.
  func settle<U: Thenable & SendableMetatype>(
    on dispatcher: some Dispatcher, from work: @escaping @Sendable () throws -> sending U,
    adopt: @escaping @Sendable (Node, Node) -> Void
  ) {
    let ticket = ticket("on:")
    dispatcher.dispatch {
      do {
        let made = Sent(
          try ticket.runElsewhere {
            let made = try work()
            // It comes to the loop before the message that has it adopted, and may fail in between.
            made.node.flags.insert(.isHandled)
            return made
          })
        if ticket.isOnOtherLoop {
          // It stays on that loop, and its outcome comes.
          made.take().pipe { outcome in
            ticket.complete { node in
              let settled = Node()
              settled.resolve(outcome)
              adopt(unsafeDowncast(node, to: Node.self), settled)
            }
          }
        } else {
          ticket.complete { adopt(unsafeDowncast($0, to: Node.self), made.take().node) }
        }
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

  /// A promise, made to wait for `source`, whose handler of values makes a promise elsewhere.
  static func chaining<T: Sendable, U: Thenable & SendableMetatype>(
    _ source: Node, on dispatcher: some Dispatcher, _ file: StaticString, _ line: UInt, flags: Flags = [],
    _ work: @escaping @Sendable (T) throws -> sending U
  ) -> Node {
    Node(flags: flags.union(.isInline)) { node, source in
      guard source.state == .fulfilled else { return node.reject(source.failure) }
      let value = source.value(as: T.self)
      node.settle(on: dispatcher, from: { try work(value) }) { $0.adopt($1, U.T.self) }
    }.following(source, file, line)
  }
}

extension RemoteTicket {
  /// Runs a handler. On a thread without a loop, what it makes is of the loop of this ticket.
  fileprivate func runElsewhere<Value>(_ work: () throws -> Value) rethrows -> Value {
    if EventLoop.current != nil { return try work() }
    return try InlineQueue.separately { try run(work) }
  }
}

/// A promise that was made on another thread, on its way to the loop.
// Sound: it was `sending`, so that nobody keeps it over there, and it is taken out once. The other thread may
// let go of this later than the loop.
final class Sent<U>: @unchecked Sendable {
  private var thenable: U?
  init(_ thenable: sending U) { self.thenable = thenable }

  func take() -> U { thenable.take()! }
}
