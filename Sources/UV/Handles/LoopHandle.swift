/// A handle on a loop, as libuv sees it; see ``EventLoop/handles``.
public struct LoopHandle: Hashable, Sendable {
  /// The type of the handle.
  public var type: HandleType
  /// Whether the handle is doing something.
  public var isActive: Bool
  /// Whether the handle is closing; libuv owns its memory until it is closed.
  public var isClosing: Bool
  /// Whether the handle keeps the loop running while it is active.
  public var keepsLoopRunning: Bool
  /// The handle's file descriptor, or nil if it has none.
  public var fileDescriptor: Int32?
}
