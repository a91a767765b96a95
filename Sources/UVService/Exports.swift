// `Service` and `ServiceGroup`, their signals, and `Logger` are part of this module's vocabulary.
@_exported public import Logging
@_exported public import ServiceLifecycle
@_exported public import UnixSignals

#if !Service && !Everything
#error("UVService needs its trait: write .package(url: …, traits: [.defaults, \"Service\"])")
#endif
