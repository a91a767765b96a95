#if Service || Everything
// `Service` and `ServiceGroup`, their signals, and `Logger` are part of this module's vocabulary.
@_exported public import Logging
@_exported public import ServiceLifecycle
@_exported public import UnixSignals
#else
// Without the trait the module is empty but for these names: to use one is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct EventLoopService {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Service\"])")
public struct EventLoopGroupService {}
#endif
