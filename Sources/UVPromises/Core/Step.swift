import UV

/// A step of a chain: the promise that a method such as `map` returns, with the handler that will settle it.
///
/// `Input` and `Output` are the handler's, `T` is the value's type of the promise.
@usableFromInline
final class Step<Input, Output, T>: Node<T> {
  @usableFromInline typealias Body = (Input) throws -> Output

  @exclusivity(unchecked) @usableFromInline var body: Body?

  @inlinable
  init(flags: Flags, body: @escaping Body, perform: @escaping Perform) {
    self.body = body
    super.init(flags: flags, perform: perform)
  }

  /// The handler, which is let go, with what it captured, when the step has run.
  @inlinable @inline(__always)
  func takeBody() -> Body {
    let body = self.body!
    self.body = nil
    return body
  }

  /// Runs a handler of values: gives the value and the handler's result to `finish`, and lets errors pass.
  @inlinable @inline(__always)
  static func onValue(
    _ node: AnyNode, _ source: AnyNode?, finish: (Step, Node<Input>, Output) throws -> Void
  ) {
    let step = unsafeDowncast(node, to: Step.self)
    let body = step.takeBody()
    guard let source, source.state == .fulfilled else { return step.reject(failure(of: source)) }
    let input = unsafeDowncast(source, to: Node<Input>.self)
    do { try finish(step, input, body(input.value!)) } catch { step.reject(error) }
  }
}

extension Step where Input == any Error {
  /// Runs a handler of errors: gives its result to `finish`, and lets values pass, and cancellations that the handler
  /// is not for.
  @inlinable @inline(__always)
  static func onError(_ node: AnyNode, _ source: AnyNode?, finish: (Step, Output) -> Void) {
    let step = unsafeDowncast(node, to: Step.self)
    let body = step.takeBody()
    if let source, source.state == .fulfilled {
      return step.fulfill(unsafeDowncast(source, to: Node<T>.self).value!)
    }
    let error = failure(of: source)
    guard step.covers(error) else { return step.reject(error) }
    do { finish(step, try body(error)) } catch { step.reject(error) }
  }
}

extension AnyNode {
  /// The error that a handler is to see: the source's, or that of a cancellation, which has no source.
  @inlinable @inline(__always)
  static func failure(of source: AnyNode?) -> any Error { source?.error ?? PMKError.cancelled }

  /// The outcome that a handler is to see.
  @inlinable @inline(__always)
  static func outcome<Value>(of source: AnyNode?) -> PMKResult<Value> {
    guard let source, source.state == .fulfilled else { return .rejected(failure(of: source)) }
    return .fulfilled(unsafeDowncast(source, to: Node<Value>.self).value!)
  }
}

extension AnyNode {
  /// Whether a handler of errors is for this one.
  @inlinable @inline(__always)
  final func covers(_ error: any Error) -> Bool {
    flags.contains(.coversCancellation) || !error.isCancelled
  }
}

extension CatchPolicy {
  @inlinable
  var flags: AnyNode.Flags { self == .allErrors ? .coversCancellation : [] }
}

extension Node {
  /// Takes the outcome of the promise that the step waited for.
  @inlinable @inline(__always)
  final func pass(_ source: AnyNode?) {
    guard let source else { return reject(PMKError.cancelled) }
    adopt(unsafeDowncast(source, to: Node<T>.self))
  }

  /// Makes the promise of a step that waits for this one.
  @inlinable @inline(__always)
  final func step<Input, Output, U>(
    _ dispatcher: LoopDispatcher?, _ file: StaticString, _ line: UInt, flags: Flags = [],
    _ body: @escaping (Input) throws -> Output, perform: @escaping Perform
  ) -> Step<Input, Output, U> {
    let step = Step<Input, Output, U>(
      flags: dispatcher == .microtask ? flags : flags.union(.isInline), body: body, perform: perform)
    step.made(file, line)
    step.wait(for: self)
    return step
  }
}
