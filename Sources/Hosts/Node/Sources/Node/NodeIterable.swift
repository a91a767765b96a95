internal import CNodeAPI
public import UV

/// An event source that JavaScript iterates with `for await`.
///
/// Each `next()` of JavaScript asks the source for one element. So a source produces no more than JavaScript
/// has asked for.
///
/// ```swift
/// try exports.function("ticks") { (milliseconds: Int) in
///   NodeIterable(node.loop.ticks(every: .milliseconds(milliseconds))) { $0.index }
/// }
/// ```
public struct NodeIterable<Source: EventSource>: NodeEncodable {
  private let source: Source
  private let element: (Source.Element) -> any NodeEncodable
  private let onReturn: () -> Void

  /// Creates an iterable from a source.
  ///
  /// - Parameters:
  ///   - source: What is iterated. JavaScript keeps it, and its pending `next()` keep the loop running.
  ///   - onReturn: Called when JavaScript leaves its loop by `break`, `return` or `throw`: for example, close
  ///     the source.
  ///   - element: Turns an element of the source into a value for JavaScript.
  public init(
    _ source: Source, onReturn: @escaping () -> Void = {},
    element: @escaping (Source.Element) -> any NodeEncodable
  ) {
    self.source = source
    self.element = element
    self.onReturn = onReturn
  }

  /// An object with `next()`, `return()` and `[Symbol.asyncIterator]()`.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    let environment = instance.environment
    let object = try instance.make { napi_create_object(environment, $0) }
    let properties = NodeProperties(object)
    let iteration = NodeIteration(self.source, element, onReturn)
    try properties.add("next") { try iteration.next($0.instance) }
    try properties.add("return") { try iteration.end($0.instance) }
    let global = try instance.make { napi_get_global(environment, $0) }
    let symbol = try global.get("Symbol").get("asyncIterator")
    // An iterator is iterable itself.
    let iterator = try instance.makeFunction("[Symbol.asyncIterator]") { $0.this }
    try instance.check(napi_set_property(environment, object.raw, symbol.raw, iterator.raw))
    return object
  }
}

extension NodeIterable where Source.Element: NodeEncodable {
  /// Creates an iterable from a source whose elements JavaScript can take.
  public init(_ source: Source, onReturn: @escaping () -> Void = {}) {
    self.init(source, onReturn: onReturn) { $0 }
  }
}

/// The state of a JavaScript iterator.
private final class NodeIteration<Source: EventSource> {
  private let element: (Source.Element) -> any NodeEncodable
  /// Nil once JavaScript has left its loop.
  private var source: Source?
  private var onReturn: (() -> Void)?
  private var pending: [Int: PendingRequest] = [:]
  private var number = 0

  init(
    _ source: Source, _ element: @escaping (Source.Element) -> any NodeEncodable,
    _ onReturn: @escaping () -> Void
  ) {
    self.source = source
    self.element = element
    self.onReturn = onReturn
  }

  func next(_ instance: NodeInstance) throws -> NodeValue {
    guard let source else { return try NodePromise.fulfilled(instance, NodeStep(value: nil)) }
    let (promise, value) = try NodePromise.make(instance)
    number += 1
    let number = number
    pending[number] = source.next { [self] result in
      pending[number] = nil
      promise.settle {
        // This waited when JavaScript left the loop.
        if self.source == nil { return try instance.encode(NodeStep(value: nil)) }
        return try instance.encode(NodeStep(value: result.get().map(element)))
      }
    }
    return value
  }

  func end(_ instance: NodeInstance) throws -> NodeValue {
    source = nil
    for request in pending.values { request.cancel() }
    onReturn.take()?()
    return try NodePromise.fulfilled(instance, NodeStep(value: nil))
  }
}

/// What `next()` of an iterator is fulfilled with.
private struct NodeStep: NodeEncodable {
  /// Nil at the end.
  let value: (any NodeEncodable)?

  func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    let object = try instance.make { napi_create_object(instance.environment, $0) }
    try object.set("done", instance.encode(value == nil))
    if let value { try object.set("value", value.encoded(in: instance)) }
    return object
  }
}
