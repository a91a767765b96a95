internal import CNodeAPI

/// The properties of an object of JavaScript that you give it, such as an addon's exports.
public struct NodeProperties {
  /// The object.
  public let object: NodeValue

  init(_ object: NodeValue) { self.object = object }

  /// Sets a property to a value.
  ///
  /// The corresponding Node-API function is `napi_set_named_property`.
  public func set(_ name: String, _ value: some NodeEncodable) throws(NodeError) {
    try object.set(name, object.instance.encode(value))
  }

  /// Gives the object a function that returns at once.
  ///
  /// - Parameters:
  ///   - name: The property's name, and the function's.
  ///   - body: Called with the arguments on the environment's thread. If it throws, JavaScript's function
  ///     throws the same.
  ///
  /// The corresponding Node-API function is `napi_create_function`.
  public func function<each A: NodeDecodable, R: NodeEncodable>(
    _ name: String, _ body: @escaping (repeat each A) throws -> R
  ) throws(NodeError) {
    try add(name) { call in
      let arguments = (repeat try call.next((each A).self))
      return try call.instance.encode(body(repeat each arguments))
    }
  }

  /// Gives the object a function that returns at once, without a value.
  ///
  /// The corresponding Node-API function is `napi_create_function`.
  public func function<each A: NodeDecodable>(
    _ name: String, _ body: @escaping (repeat each A) throws -> Void
  ) throws(NodeError) {
    try add(name) { call in
      let arguments = (repeat try call.next((each A).self))
      try body(repeat each arguments)
      return try call.instance.undefined()
    }
  }

  func add(_ name: String, _ body: @escaping (inout NodeCall) throws -> NodeValue) throws(NodeError) {
    try object.set(name, object.instance.makeFunction(name, body))
  }
}

/// An object that you return to JavaScript.
///
/// ```swift
/// NodeObject { server in
///   try server.set("port", listener.localAddress().port)
///   try server.function("close") { listener.close() }
/// }
/// ```
public struct NodeObject: NodeEncodable {
  private let build: (NodeProperties) throws(NodeError) -> Void

  /// Creates an object from a function that gives it its properties.
  public init(_ build: @escaping (NodeProperties) throws(NodeError) -> Void) { self.build = build }

  /// A new object.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    let object = try instance.make { napi_create_object(instance.environment, $0) }
    try build(NodeProperties(object))
    return object
  }
}
