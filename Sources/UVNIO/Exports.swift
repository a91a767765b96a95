// Nothing is re-exported: NIO's `EventLoop`, `EventLoopGroup` and `SocketAddress` have the names of
// swift-uv's.
#if !NIO && !NIOBootstraps && !Everything
public import UV

// Without the trait the module is empty but for these names: to use one is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public final class UVEventLoop {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public final class UVEventLoopGroup {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public struct UVServerBootstrap {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public struct UVClientBootstrap {}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
  public var nio: Never { fatalError() }
}
#endif
