internal import CNodeAPI

/// A call of one of our functions by JavaScript.
struct NodeCall {
  /// As many arguments as can be taken.
  static let mostArguments = 16

  let instance: NodeInstance
  /// The object whose method this is.
  let this: NodeValue
  private let arguments: UnsafeMutableBufferPointer<napi_value?>
  private var index = 0

  init(this: NodeValue, _ arguments: UnsafeMutableBufferPointer<napi_value?>) {
    instance = this.instance
    self.this = this
    self.arguments = arguments
  }

  /// The next argument; `undefined` if there is none.
  mutating func next<T: NodeDecodable>(_: T.Type) throws(NodeError) -> T {
    var value = nextValue()
    if value == nil { value = try instance.undefined() }
    do throws(NodeError) { return try T(value!) } catch {
      guard case .wrongType(let expected) = error else { throw error }
      throw .wrongType(expected: "\(expected) as argument \(index)")
    }
  }

  /// The next argument; nil if there is none.
  mutating func nextValue() -> NodeValue? {
    defer { index += 1 }
    guard index < arguments.count, let raw = arguments[index] else { return nil }
    return NodeValue(instance, raw)
  }
}

/// The body of a JavaScript function.
private final class NodeFunctionBody {
  let instance: NodeInstance
  let body: (inout NodeCall) throws -> NodeValue

  init(_ instance: NodeInstance, _ body: @escaping (inout NodeCall) throws -> NodeValue) {
    self.instance = instance
    self.body = body
  }
}

extension NodeInstance {
  /// A function of JavaScript that calls `body`.
  func makeFunction(
    _ name: String, _ body: @escaping (inout NodeCall) throws -> NodeValue
  ) throws(NodeError) -> NodeValue {
    // Balanced when JavaScript has let go of the function.
    let retained = Unmanaged.passRetained(NodeFunctionBody(self, body))
    do throws(NodeError) {
      let function = try make {
        napi_create_function(environment, name, name.utf8.count, callBody, retained.toOpaque(), $0)
      }
      try check(napi_add_finalizer(environment, function.raw, retained.toOpaque(), releaseBody, nil, nil))
      return function
    } catch {
      retained.release()
      throw error
    }
  }
}

private func callBody(_ environment: napi_env?, _ info: napi_callback_info?) -> napi_value? {
  withUnsafeTemporaryAllocation(of: napi_value?.self, capacity: NodeCall.mostArguments) { buffer in
    var count = buffer.count
    var this: napi_value?
    var data: UnsafeMutableRawPointer?
    guard napi_get_cb_info(environment, info, &count, buffer.baseAddress, &this, &data) == napi_ok,
      let data, let this
    else { return nil }
    // Sound: JavaScript has the function, which retains this.
    let function = Unmanaged<NodeFunctionBody>.fromOpaque(data).takeUnretainedValue()
    let arguments = UnsafeMutableBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
    var call = NodeCall(this: NodeValue(function.instance, this), arguments)
    do { return try function.body(&call).raw } catch {
      function.instance.throwIntoJavaScript(error)
      return nil
    }
  }
}

private func releaseBody(
  _: napi_env?, _ data: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?
) {
  Unmanaged<NodeFunctionBody>.fromOpaque(data!).release()
}
