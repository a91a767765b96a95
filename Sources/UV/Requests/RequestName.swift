/// The name of the work that a ``Request`` describes, as the name of a function: `stat(_:)`. It is one word,
/// since a request is passed by value.
@usableFromInline
struct RequestName {
  // Sound: the text of a literal, which stays for as long as the program runs and ends with a zero.
  @usableFromInline let text: UnsafePointer<UInt8>

  @inlinable
  @inline(__always)
  init(_ name: StaticString) { text = name.utf8Start }

  /// The name without the names of the arguments.
  var operation: String {
    let text = String(cString: text)
    return String(text.prefix { $0 != "(" })
  }
}

extension Request {
  /// Creates a request that does the work of another one in its own way, and so has that one's name.
  @inlinable
  init(
    _ loop: EventLoop, _ name: RequestName,
    _ start: @escaping (@escaping Completion<Success>) -> PendingRequest
  ) {
    body = .start(loop, name, start)
  }

  /// The name of the work.
  @usableFromInline
  var name: RequestName {
    switch body {
    case .start(_, let name, _), .custom(_, let name, _), .void(_, let name, _, _), .direct(_, let name, _),
      .shared(_, _, let name):
      name
    case .sleep: RequestName("sleep")
    case .write, .writeAll: RequestName("write")
    case .frame: RequestName("read")
    }
  }

  /// The error of a cancelled task, which doesn't start the request.
  @usableFromInline
  var cancellation: UVError { UVError(.cancelled, operation: name.operation) }
}

/// The thing that a pending request waits for, as ``EventLoop/snapshot(limit:)`` shows it.
package struct Awaited {
  /// The operation, by libuv's name.
  var operation: String
  /// A path, a name or a number that says more.
  var subject: String?
  /// The handle or the source that the request belongs to.
  var object: AnyObject?
  /// When the wait ends at the latest, in milliseconds on the loop's clock.
  var deadline: UInt64?
}

extension Awaited {
  /// A wait of another module.
  package static func operation(_ name: String, _ subject: String?) -> Awaited {
    Awaited(operation: name, subject: subject)
  }
}
