/// The thing that a pending request waits for, as ``EventLoop/snapshot(limit:)`` tells of it.
struct Awaited {
  /// The operation, by libuv's name.
  var operation: String
  /// A path, a name or a number that says more.
  var subject: String?
  /// The handle or the source that the request belongs to.
  var object: AnyObject?
  /// When the wait ends at the latest, in milliseconds on the loop's clock.
  var deadline: UInt64?
}
