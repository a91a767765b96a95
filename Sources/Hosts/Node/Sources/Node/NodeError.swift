internal import CNodeAPI
internal import UV

/// An error of the border between Swift and JavaScript.
public enum NodeError: Error {
  /// JavaScript has thrown. If you throw this error on, JavaScript gets back the very value that it threw.
  case thrown(NodeException)
  /// A value is none of the type that it is taken for; the text says what was expected. JavaScript sees a
  /// `TypeError` with the code `ERR_INVALID_ARG_TYPE`.
  case wrongType(expected: String)
  /// The environment has ended, so that JavaScript can't be called.
  case environmentEnded
  /// Node has refused a call; the text says which or why.
  case refused(String)
}

// Sound: its parts don't change, and the reference is let go of on the loop's thread.
/// What JavaScript has thrown.
public final class NodeException: @unchecked Sendable {
  /// The value that was thrown.
  public let reference: NodeReference
  /// Its text, such as `TypeError: x is not a function`.
  public let message: String

  init(_ value: NodeValue) throws(NodeError) {
    reference = try NodeReference(value)
    message = value.text
  }
}

extension NodeInstance {
  /// Throws if a call has failed. A pending exception is taken from JavaScript.
  func check(_ status: napi_status) throws(NodeError) {
    if status == napi_ok { return }
    var isPending = false
    napi_is_exception_pending(environment, &isPending)
    guard isPending else {
      // `napi_cannot_run_js`, which version 8 doesn't name.
      let hasEnded = status == napi_pending_exception || status.rawValue == 23
      throw hasEnded ? .environmentEnded : .refused("status \(status.rawValue)")
    }
    var exception: napi_value?
    napi_get_and_clear_last_exception(environment, &exception)
    // A worker that is being terminated has an exception that can't be had.
    guard let exception else { throw .environmentEnded }
    throw .thrown(try NodeException(NodeValue(self, exception)))
  }

  /// A value that Node makes.
  func make(_ body: (UnsafeMutablePointer<napi_value?>) -> napi_status) throws(NodeError) -> NodeValue {
    var raw: napi_value?
    try check(body(&raw))
    guard let raw else { throw .environmentEnded }
    return NodeValue(self, raw)
  }

  /// Throws an error in JavaScript, as soon as the function that JavaScript has called returns.
  func throwIntoJavaScript(_ error: any Error) {
    guard let value = try? value(of: error) else { return }
    napi_throw(environment, value.raw)
  }

  /// JavaScript's form of an error.
  func value(of error: any Error) throws(NodeError) -> NodeValue {
    switch error {
    case NodeError.thrown(let exception):
      return try exception.reference.value
    case NodeError.wrongType(let expected):
      let (code, text) = (try encode("ERR_INVALID_ARG_TYPE"), try encode("expected \(expected)"))
      return try make { napi_create_type_error(environment, code.raw, text.raw, $0) }
    case let error as UVError:
      return try value(of: error)
    case is CancellationError:
      let value = try makeError(code: "ABORT_ERR", "The operation was aborted")
      try value.set("name", encode("AbortError"))
      return value
    default:
      return try makeError(code: nil, "\(error)")
    }
  }

  /// As Node's own errors are, with `code`, `syscall`, `errno`, and `path`.
  private func value(of error: UVError) throws(NodeError) -> NodeValue {
    // Files' operations have a prefix, which Node leaves out.
    let call = error.operation.hasPrefix("fs_") ? String(error.operation.dropFirst(3)) : error.operation
    let subject = error.subject.map { " '\($0)'" } ?? ""
    let value = try makeError(code: error.name, "\(error.name): \(error.message), \(call)\(subject)")
    try value.set("syscall", encode(call))
    try value.set("errno", encode(Int(error.code.rawValue)))
    if let subject = error.subject { try value.set("path", encode(subject)) }
    return value
  }

  private func makeError(code: String?, _ message: String) throws(NodeError) -> NodeValue {
    let code = try code.map { (code) throws(NodeError) in try encode(code) }
    let text = try encode(message)
    return try make { napi_create_error(environment, code?.raw, text.raw, $0) }
  }
}
