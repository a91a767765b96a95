// Nothing is re-exported: NIO's `EventLoop`, `EventLoopGroup` and `SocketAddress` have the names of
// swift-uv's.
#if !NIO && !NIOBootstraps && !Everything
#error("UVNIO needs its trait: write .package(url: …, traits: [.defaults, \"NIO\"])")
#endif
