internal import CNodeAPI

/// A type that a function of yours takes from JavaScript.
public protocol NodeDecodable {
  /// Creates the value from one of JavaScript's.
  ///
  /// - Throws: `wrongType` if it is of another type.
  init(_ value: NodeValue) throws(NodeError)
}

/// A type that a function of yours returns to JavaScript.
public protocol NodeEncodable {
  /// The value as one of JavaScript's.
  func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue
}

extension NodeInstance {
  /// A value as one of JavaScript's.
  public func encode(_ value: some NodeEncodable) throws(NodeError) -> NodeValue {
    try value.encoded(in: self)
  }

  /// `undefined`.
  public func undefined() throws(NodeError) -> NodeValue {
    try make { napi_get_undefined(environment, $0) }
  }
}

extension NodeValue: NodeDecodable, NodeEncodable {
  /// The value itself.
  public init(_ value: NodeValue) { self = value }

  /// The value itself.
  public func encoded(in instance: NodeInstance) -> NodeValue { self }
}

extension Bool: NodeDecodable, NodeEncodable {
  /// A boolean.
  public init(_ value: NodeValue) throws(NodeError) {
    self = false
    if napi_get_value_bool(value.instance.environment, value.raw, &self) != napi_ok {
      throw .wrongType(expected: "a boolean")
    }
  }

  /// A boolean.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    try instance.make { napi_get_boolean(instance.environment, self, $0) }
  }
}

extension Double: NodeDecodable, NodeEncodable {
  /// A number.
  public init(_ value: NodeValue) throws(NodeError) {
    self = 0
    if napi_get_value_double(value.instance.environment, value.raw, &self) != napi_ok {
      throw .wrongType(expected: "a number")
    }
  }

  /// A number.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    try instance.make { napi_create_double(instance.environment, self, $0) }
  }
}

extension Int: NodeDecodable, NodeEncodable {
  /// A whole number that JavaScript knows exactly.
  public init(_ value: NodeValue) throws(NodeError) {
    guard let number = try? Double(value), abs(number) <= 9_007_199_254_740_991,
      let exact = Int(exactly: number)
    else { throw .wrongType(expected: "an integer") }
    self = exact
  }

  /// A number. JavaScript rounds those beyond 2⁵³.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    try Double(self).encoded(in: instance)
  }
}

extension String: NodeDecodable, NodeEncodable {
  /// A string.
  public init(_ value: NodeValue) throws(NodeError) {
    let environment = value.instance.environment
    var count = 0
    guard napi_get_value_string_utf8(environment, value.raw, nil, 0, &count) == napi_ok else {
      throw .wrongType(expected: "a string")
    }
    // Node ends it with a NUL.
    self.init(unsafeUninitializedCapacity: count + 1) { buffer in
      let bytes = UnsafeMutableRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self)
      napi_get_value_string_utf8(environment, value.raw, bytes, count + 1, &count)
      return count
    }
  }

  /// A string.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    try instance.make { raw in
      withCString { napi_create_string_utf8(instance.environment, $0, utf8.count, raw) }
    }
  }
}

extension Optional: NodeDecodable where Wrapped: NodeDecodable {
  /// Nil for `undefined`, `null`, and an argument that isn't there.
  public init(_ value: NodeValue) throws(NodeError) { self = value.isNothing ? nil : try Wrapped(value) }
}

extension Optional: NodeEncodable where Wrapped: NodeEncodable {
  /// `undefined` for nil.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    guard let self else { return try instance.undefined() }
    return try self.encoded(in: instance)
  }
}

extension Array: NodeDecodable where Element: NodeDecodable {
  /// An array.
  public init(_ value: NodeValue) throws(NodeError) {
    let instance = value.instance
    var count: UInt32 = 0
    guard napi_get_array_length(instance.environment, value.raw, &count) == napi_ok else {
      throw .wrongType(expected: "an array")
    }
    self = []
    for index in 0..<count {
      append(try Element(instance.make { napi_get_element(instance.environment, value.raw, index, $0) }))
    }
  }
}

extension Array: NodeEncodable where Element: NodeEncodable {
  /// An array.
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    let array = try instance.make { napi_create_array_with_length(instance.environment, count, $0) }
    for (index, element) in enumerated() {
      let value = try element.encoded(in: instance)
      try instance.check(napi_set_element(instance.environment, array.raw, UInt32(index), value.raw))
    }
    return array
  }
}
