#if HTTP || Everything
// Requests, answers and bodies are this module's vocabulary.
@_exported public import UVHTTP
#else
@_exported public import UV

// Without the trait the module has this name alone: to use it is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct HTTPCompression {
  /// Needs the trait.
  public init() {}
}
#endif
