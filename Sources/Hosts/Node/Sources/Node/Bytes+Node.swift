internal import CNodeAPI
public import UV

/// Bytes are a `Uint8Array` in JavaScript.
extension Bytes: NodeDecodable, NodeEncodable {
  /// From here on, sharing costs JavaScript's collector less than copying.
  private static var leastShared: Int { 1024 }

  /// Copies a `Uint8Array` or a `Buffer`. JavaScript may change its bytes or send them to another thread at
  /// any time, which a `Bytes` can't follow. Complexity: O(*n*).
  public init(_ value: NodeValue) throws(NodeError) {
    var type = napi_int8_array
    var count = 0
    var start: UnsafeMutableRawPointer?
    let environment = value.instance.environment
    guard napi_get_typedarray_info(environment, value.raw, &type, &count, &start, nil, nil) == napi_ok,
      type == napi_uint8_array
    else { throw .wrongType(expected: "a Uint8Array") }
    self.init(copying: UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A `Uint8Array` of the same memory, without a copy if there are 1 KiB or more. JavaScript keeps the
  /// memory, and may write to it: don't use the bytes any more, or return `bytes.copy()`. Complexity: O(1).
  public func encoded(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    let environment = instance.environment
    var buffer = try shared(in: instance)
    if buffer == nil { buffer = try copied(in: instance) }
    return try instance.make {
      napi_create_typedarray(environment, napi_uint8_array, count, buffer?.raw, 0, $0)
    }
  }

  /// A buffer of the same memory; nil for few bytes, for the bytes of a literal, which are read-only, and in
  /// an environment that has a heap of its own for all memory.
  private func shared(in instance: NodeInstance) throws(NodeError) -> NodeValue? {
    guard count >= Self.leastShared else { return nil }
    let start = UnsafeMutableRawPointer(mutating: withUnsafeBytes { $0.baseAddress! })
    if cnode_is_in_program(start) { return nil }
    // Balanced when JavaScript has let go of the buffer.
    let owner = Unmanaged.passRetained(BytesOwner(self))
    var raw: napi_value?
    let status = napi_create_external_arraybuffer(
      instance.environment, start, count, releaseOwner, owner.toOpaque(), &raw)
    guard status == napi_ok, let raw else {
      owner.release()
      return nil
    }
    return NodeValue(instance, raw)
  }

  private func copied(in instance: NodeInstance) throws(NodeError) -> NodeValue {
    var start: UnsafeMutableRawPointer?
    let buffer = try instance.make { napi_create_arraybuffer(instance.environment, count, &start, $0) }
    if let start, count > 0 { withUnsafeBytes { start.copyMemory(from: $0.baseAddress!, byteCount: count) } }
    return buffer
  }
}

private final class BytesOwner {
  let bytes: Bytes
  init(_ bytes: Bytes) { self.bytes = bytes }
}

private func releaseOwner(_: napi_env?, _: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
  Unmanaged<BytesOwner>.fromOpaque(hint!).release()
}
