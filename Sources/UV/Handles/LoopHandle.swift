/// A handle on a loop, as libuv sees it; see ``EventLoop/handles``.
public struct LoopHandle: Hashable, Sendable {
  /// The type of the handle.
  public var type: HandleType
  /// Whether it is doing something.
  public var isActive: Bool
  /// Whether it is closing; its memory is libuv's until that is finished.
  public var isClosing: Bool
  /// Whether it keeps the loop running while it is active.
  public var keepsLoopRunning: Bool
  /// The system's descriptor, where it has one.
  public var fileDescriptor: Int32?
}
