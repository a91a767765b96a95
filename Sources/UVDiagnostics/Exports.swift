// `watchStalls` finds the functions that a page names.
@_exported public import UVStalls

#if HTTP || Everything
// A page is a handler of `UVHTTP`.
@_exported public import UVHTTP
#else
public import UV

// Without the trait the module is empty but for these names: to use one is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct Diagnostics {}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var diagnostics: Never { fatalError() }
}

extension EventLoopGroup {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var diagnostics: Never { fatalError() }
}
#endif
