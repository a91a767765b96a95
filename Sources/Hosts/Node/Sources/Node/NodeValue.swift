internal import CNodeAPI
internal import UV

/// A value of JavaScript. It is valid until the function that got it returns or awaits; a ``NodeReference``
/// is valid for longer.
///
/// The corresponding Node-API type is `napi_value`.
public struct NodeValue {
  /// The instance that the value belongs to.
  public let instance: NodeInstance
  let raw: napi_value

  init(_ instance: NodeInstance, _ raw: napi_value) {
    self.instance = instance
    self.raw = raw
  }

  /// The value as one of Swift's.
  ///
  /// - Throws: `wrongType`.
  public func decode<T: NodeDecodable>(_: T.Type = T.self) throws(NodeError) -> T { try T(self) }

  /// A property of an object; `undefined` if it has none of this name.
  ///
  /// - Throws: `thrown` if JavaScript throws, and `wrongType` for `undefined` and `null`, which have no
  ///   properties.
  ///
  /// The corresponding Node-API function is `napi_get_named_property`.
  public func get(_ name: String) throws(NodeError) -> NodeValue {
    if isNothing { throw .wrongType(expected: "an object with a property '\(name)'") }
    return try instance.make { napi_get_named_property(instance.environment, raw, name, $0) }
  }

  func set(_ name: String, _ value: NodeValue) throws(NodeError) {
    try instance.check(napi_set_named_property(instance.environment, raw, name, value.raw))
  }

  /// Whether the value is `undefined` or `null`.
  public var isNothing: Bool { type == napi_undefined || type == napi_null }

  var type: napi_valuetype {
    var type = napi_undefined
    napi_typeof(instance.environment, raw, &type)
    return type
  }

  /// The value as JavaScript's `String(value)` gives it; empty if that throws.
  var text: String {
    let string = try? instance.make { napi_coerce_to_string(instance.environment, raw, $0) }
    return (try? string?.decode(String.self)) ?? ""
  }
}

/// Keeps a value of JavaScript for longer than a call. You can let go of it on any thread.
///
/// The corresponding Node-API type is `napi_ref`.
public final class NodeReference {
  let instance: NodeInstance
  private let raw: napi_ref

  /// Keeps a value.
  ///
  /// - Throws: `refused` for a value that isn't an object, a function or a symbol.
  public init(_ value: NodeValue) throws(NodeError) {
    instance = value.instance
    // Only objects can be kept; others are put into one.
    let box = try instance.make { napi_create_object(value.instance.environment, $0) }
    try box.set("value", value)
    var raw: napi_ref?
    try instance.check(napi_create_reference(instance.environment, box.raw, 1, &raw))
    guard let raw else { throw .environmentEnded }
    self.raw = raw
  }

  deinit {
    let executor = instance.loop.executor
    if executor.isOnLoop {
      instance.delete(raw)
    } else {
      // Sound: both are used on the loop's thread alone, and nobody else has the reference any more.
      nonisolated(unsafe) let (instance, raw) = (instance, raw)
      try? executor.execute { _ in instance.delete(raw) }
    }
  }

  /// The value, for use in a function that JavaScript has called.
  public var value: NodeValue {
    get throws(NodeError) {
      let box = try instance.make { napi_get_reference_value(instance.environment, raw, $0) }
      return try box.get("value")
    }
  }
}
