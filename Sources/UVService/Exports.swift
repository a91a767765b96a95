#if Service || Everything
// `Service` and `ServiceGroup`, their signals, and `Logger` are part of this module's vocabulary.
@_exported public import Logging
@_exported public import ServiceLifecycle
@_exported public import UnixSignals
#else
public import UV

// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct EventLoopService {
  /// Needs the trait.
  public init(
    shutdownWithin limit: Duration? = nil, logger: Logger? = nil,
    _ body: (EventLoop) async throws -> Void
  ) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct EventLoopGroupService {
  /// Needs the trait.
  public init(
    _ group: EventLoopGroup, shutdownWithin limit: Duration? = nil, logger: Logger? = nil,
    _ start: (EventLoopGroup) async throws -> Void
  ) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct Logger {
  /// Needs the trait.
  public init(label: String) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct ServiceGroup {}
#endif
