// Nothing is re-exported: NIO's `EventLoop`, `EventLoopGroup` and `SocketAddress` have the names of
// swift-uv's.
#if !NIO && !NIOBootstraps && !Everything
public import UV

// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public final class UVEventLoop {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public final class UVEventLoopGroup {
  /// Needs the trait.
  public init(count: Int = 1, name: String = "") throws {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public struct UVServerBootstrap {
  /// Needs the trait.
  public init(group: Any, childGroup: Any? = nil) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
public struct UVClientBootstrap {
  /// Needs the trait.
  public init(group: Any) {}
}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"NIO\"])")
  public var nio: UVEventLoop { fatalError() }
}
#endif
