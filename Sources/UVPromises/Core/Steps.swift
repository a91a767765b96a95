// A step of a chain is the promise that a method such as `map` returns, with the handler that will settle it. Until then
// the handler is in the room for the outcome. There is a type for each form of handler, because a function value that is
// stored in another form than it was made in needs an allocation more.

/// The handler of a step: a function, and nothing else.
@usableFromInline
protocol Handler {}

extension Node {
  /// A promise that `handler` makes the outcome of, when `perform` runs it.
  @inlinable @inline(__always)
  static func step<H: Handler>(_ flags: Flags, _ handler: H, _ perform: @escaping Perform) -> Node {
    let step = ChainNode.make(flags, perform)
    step.form.insert(.holdsHandler)
    step.pointer(to: H.self).initialize(to: handler)
    return step
  }

  /// Takes the handler out, once.
  @inlinable @inline(__always)
  final func takeHandler<H: Handler>(_ type: H.Type) -> H {
    assert(form.contains(.holdsHandler), "the handler has been taken")
    form.remove(.holdsHandler)
    return pointer(to: type).move()
  }

  /// Lets go of the handler, which isn't to run any more.
  final func dropHandler() {
    form.remove(.holdsHandler)
    // Sound: a function value of any type is the address of code and a reference to what it captures, and only the
    // latter is let go of.
    _ = pointer(to: EnsureStep.self).move()
  }
}

/// A step whose handler makes something of a value.
@usableFromInline
struct MapStep<Input, Output>: Handler {
  @usableFromInline let body: (Input) throws -> Output

  @inlinable
  init(_ body: @escaping (Input) throws -> Output) { self.body = body }

  /// Runs the handler and gives the value and the handler's result to `finish`; lets errors pass. A handler
  /// that cancels the promise whose value it was given has its result dropped.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node, finish: (Node, Node, Output) throws -> Void) {
    let body = node.takeHandler(MapStep.self).body
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
struct DoStep<Input>: Handler {
  @usableFromInline let body: (Input) throws -> Void

  @inlinable
  init(_ body: @escaping (Input) throws -> Void) { self.body = body }

  /// Runs the handler, then `finish`; lets errors pass.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node, finish: (Node, Node) -> Void) {
    let body = node.takeHandler(DoStep.self).body
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
struct TapStep<Input>: Handler {
  @usableFromInline let body: (PMKResult<Input>) -> Void

  @inlinable
  init(_ body: @escaping (PMKResult<Input>) -> Void) { self.body = body }

  /// Runs the handler.
  @inlinable @inline(__always)
  static func run(_ node: Node, _ source: Node) {
    node.takeHandler(TapStep.self).body(source.outcome(as: Input.self))
  }
}

/// A step whose handler makes something of an error.
@usableFromInline
struct RecoverStep<Output>: Handler {
  @usableFromInline let body: (any Error) throws -> Output

  @inlinable
  init(_ body: @escaping (any Error) throws -> Output) { self.body = body }

  /// Runs the handler and gives its result to `finish`; lets values of type `T` pass, and cancellations that
  /// the handler is not for.
  @inlinable @inline(__always)
  static func run<T>(_ node: Node, _ source: Node, _ type: T.Type, finish: (Node, Output) -> Void) {
    let body = node.takeHandler(RecoverStep.self).body
    if source.state == .fulfilled { return node.fulfill(source.value(as: type)) }
    let error = source.failure
    guard node.covers(error) else { return node.reject(error) }
    do { finish(node, try body(error)) } catch { node.reject(error) }
  }
}

/// A step whose handler does something about an error.
@usableFromInline
struct CatchStep: Handler {
  @usableFromInline let body: (any Error) throws -> Void

  @inlinable
  init(_ body: @escaping (any Error) throws -> Void) { self.body = body }

  /// Runs the handler if it is for the error, and then is fulfilled; `passesUncovered`, for a step that goes
  /// on after it, lets other errors pass. A `catch` has nothing to do where the promise before it has a
  /// value.
  @usableFromInline
  static func run(_ node: Node, _ source: Node, passesUncovered: Bool) {
    let body = node.takeHandler(CatchStep.self).body
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
struct EnsureStep: Handler {
  @usableFromInline let body: () -> Void

  @inlinable
  init(_ body: @escaping () -> Void) { self.body = body }

  /// Runs the handler and takes the outcome over.
  @inlinable @inline(__always)
  static func run<T>(_ node: Node, _ source: Node, _ type: T.Type) {
    node.takeHandler(EnsureStep.self).body()
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
