#if HTTP || Everything
// Files are answers to exchanges of `UVHTTP`.
@_exported public import UVHTTP
#else
@_exported public import UV

// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPFiles {
  /// Needs the trait.
  public init(at root: String, on loop: EventLoop, options: HTTPFilesOptions? = nil) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct HTTPFilesOptions {
  /// Needs the trait.
  public init() {}
}
#endif
