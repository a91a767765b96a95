internal import CNodeAPI

/// A function of JavaScript that Swift calls.
///
/// You may keep it, and call it from any callback or task of the loop.
public struct NodeFunction: NodeDecodable {
  private let reference: NodeReference

  /// Keeps a function.
  ///
  /// - Throws: `wrongType` for another value.
  public init(_ value: NodeValue) throws(NodeError) {
    guard value.type == napi_function else { throw .wrongType(expected: "a function") }
    reference = try NodeReference(value)
  }

  /// Calls the function, and ignores what it returns.
  ///
  /// - Throws: `thrown` if it throws, and `environmentEnded`.
  ///
  /// The corresponding Node-API function is `napi_call_function`.
  public func call<each A: NodeEncodable>(_ arguments: repeat each A) throws {
    try invoke(repeat each arguments) { _ in }
  }

  /// Calls the function.
  ///
  /// - Returns: What it returns, as a type of Swift's.
  /// - Throws: `thrown` if it throws, `wrongType` if it returns something else, and `environmentEnded`.
  ///
  /// The corresponding Node-API function is `napi_call_function`.
  public func call<each A: NodeEncodable, R: NodeDecodable>(
    _ arguments: repeat each A, returning: R.Type
  ) throws -> R {
    try invoke(repeat each arguments) { try $0.decode(R.self) }
  }

  private func invoke<each A: NodeEncodable, R>(
    _ arguments: repeat each A, then: (NodeValue) throws -> R
  ) throws -> R {
    try reference.instance.enter {
      let function = try reference.value
      var values: [NodeValue] = []
      repeat try values.append(function.instance.encode(each arguments))
      return try then(function.instance.undefined().call(function, values))
    }
  }
}

extension NodeValue {
  /// Calls a method of an object.
  func call(_ name: String, _ arguments: [NodeValue]) throws(NodeError) -> NodeValue {
    try call(get(name), arguments)
  }

  /// Calls a function with this value as `this`.
  func call(_ function: NodeValue, _ arguments: [NodeValue]) throws(NodeError) -> NodeValue {
    let list = arguments.map { Optional($0.raw) }
    return try instance.make {
      napi_call_function(instance.environment, raw, function.raw, list.count, list, $0)
    }
  }
}
