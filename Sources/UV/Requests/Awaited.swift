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
