#if NIO || NIOBootstraps || Everything
public import UV

extension UV.EventLoop {
  /// This loop as an event loop of SwiftNIO, always the same one. Call it on the loop's thread; other threads
  /// may use what it returns.
  ///
  /// Channels and scheduled work keep the loop running, as swift-uv's own objects do. They end with the loop,
  /// or when you shut the NIO event loop down. A loop for which this was called doesn't end by itself when
  /// the last reference to it goes: call `shutdown()`, or `detach()` on a host's loop.
  public var nio: UVEventLoop { nioLoops[self] }
}

private let nioLoops = LoopLocal { UVEventLoop($0) }
#endif
