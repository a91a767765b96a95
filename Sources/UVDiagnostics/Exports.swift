// `watchStalls` finds the functions that a page names.
@_exported public import UVStalls

#if HTTP || Everything
// A page is a handler of `UVHTTP`.
@_exported public import UVHTTP
#else
public import UV

// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct Diagnostics {
  /// Needs the trait.
  public func listen(on address: DiagnosticsAddress) throws -> DiagnosticsServer { fatalError() }
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public enum DiagnosticsAddress {
  /// Needs the trait.
  case port(Int, host: String = "")
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct DiagnosticsServer {
  /// Needs the trait.
  public let url: String
}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var diagnostics: Diagnostics { fatalError() }
}

extension EventLoopGroup {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var diagnostics: Diagnostics { fatalError() }
}
#endif
