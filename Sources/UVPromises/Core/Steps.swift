// A step of a chain is the promise that a method such as `map` returns, with the handler that will settle it.
// There is a class for each form of handler, because a function value that is stored in another form than it
// was made in needs an allocation more.

/// A step whose handler makes something of a value.
@usableFromInline
final class MapStep<Input, Output>: Node {
  @exclusivity(unchecked) @usableFromInline var body: ((Input) throws -> Output)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping (Input) throws -> Output, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler and gives the value and the handler's result to `finish`; lets errors pass. A handler
  /// that cancels the promise whose value it was given has its result dropped.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node, finish: (Node, Node, Output) throws -> Void) {
    let step = unsafeDowncast(node, to: MapStep.self)
    let body = step.body.take()!
    guard source.state == .fulfilled else { return node.reject(source.failure) }
    do {
      let output = try body(source.value(as: Input.self))
      if source.state != .fulfilled { node.reject(source.failure) }
      try finish(node, source, output)
    } catch { node.reject(error) }
  }
}

/// A step whose handler does something with a value.
@usableFromInline
final class DoStep<Input>: Node {
  @exclusivity(unchecked) @usableFromInline var body: ((Input) throws -> Void)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping (Input) throws -> Void, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler, then `finish`; lets errors pass.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node, finish: (Node, Node) -> Void) {
    let step = unsafeDowncast(node, to: DoStep.self)
    let body = step.body.take()!
    guard source.state == .fulfilled else { return node.reject(source.failure) }
    do {
      try body(source.value(as: Input.self))
      if source.state != .fulfilled { node.reject(source.failure) }
      finish(node, source)
    } catch { node.reject(error) }
  }
}

/// A step whose handler looks at the outcome.
@usableFromInline
final class TapStep<Input>: Node {
  @exclusivity(unchecked) @usableFromInline var body: ((PMKResult<Input>) -> Void)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping (PMKResult<Input>) -> Void, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node) {
    unsafeDowncast(node, to: TapStep.self).body.take()!(source.outcome(as: Input.self))
  }
}

/// A step whose handler makes something of an error.
@usableFromInline
final class RecoverStep<Output>: Node {
  @exclusivity(unchecked) @usableFromInline var body: ((any Error) throws -> Output)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping (any Error) throws -> Output, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler and gives its result to `finish`; lets values of type `T` pass, and cancellations that
  /// the handler is not for.
  @inlinable @inline(__always)
  static func run<T>(_ node: Node, _ source: Node, _ type: T.Type, finish: (Node, Output) -> Void) {
    let step = unsafeDowncast(node, to: RecoverStep.self)
    let body = step.body.take()!
    if source.state == .fulfilled { return node.fulfill(source.value(as: type)) }
    let error = source.failure
    guard node.covers(error) else { return node.reject(error) }
    do { finish(node, try body(error)) } catch { node.reject(error) }
  }
}

/// A step whose handler does something about an error.
@usableFromInline
final class CatchStep: Node {
  @exclusivity(unchecked) @usableFromInline var body: ((any Error) throws -> Void)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping (any Error) throws -> Void, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler if it is for the error, and then is fulfilled; `passesUncovered`, for a step that goes
  /// on after it, lets other errors pass. A `catch` has nothing to do where the promise before it has a
  /// value.
  @usableFromInline
  static func run(_ node: Node, _ source: Node, passesUncovered: Bool) {
    let step = unsafeDowncast(node, to: CatchStep.self)
    let body = step.body.take()!
    if source.state != .fulfilled, passesUncovered || source.state == .rejected {
      let error = source.failure
      if node.covers(error) {
        do { try body(error) } catch { return node.reject(error) }
      } else if passesUncovered {
        return node.reject(error)
      }
    }
    node.fulfill(())
  }
}

/// A step whose handler runs in any case.
@usableFromInline
final class EnsureStep: Node {
  @exclusivity(unchecked) @usableFromInline var body: (() -> Void)?

  @inlinable
  init(_ flags: Flags, _ body: @escaping () -> Void, _ perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// Runs the handler and takes the outcome over.
  @inlinable @inline(__always)
  static func run<T>(_ node: Node, _ source: Node, _ type: T.Type) {
    unsafeDowncast(node, to: EnsureStep.self).body.take()!()
    node.pass(source, type)
  }
}

extension Node {
  /// A step that ends as `source` does.
  @inlinable
  static func passing<T>(_ source: Node, _ type: T.Type) -> Node {
    Node(flags: .isInline) { $0.pass($1, T.self) }.following(source, "", 0)
  }

  /// Whether a handler of errors is for this one.
  @usableFromInline
  final func covers(_ error: any Error) -> Bool {
    flags.contains(.coversCancellation) || !error.isCancelled
  }

  /// Makes this, a step just made, wait for a promise.
  @inlinable @inline(__always)
  final func following(_ source: Node, _ file: StaticString, _ line: UInt) -> Node {
    made(file, line)
    wait(for: source)
    return self
  }
}

extension LoopDispatcher? {
  @inlinable
  var flags: Node.Flags { self == .microtask ? [] : .isInline }
}

extension CatchPolicy {
  @inlinable
  var flags: Node.Flags { self == .allErrors ? .coversCancellation : [] }
}
