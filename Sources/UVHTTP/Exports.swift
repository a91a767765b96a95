// The loop and its streams are this module's vocabulary, and `HTTPRequest`, `HTTPResponse` and `HTTPFields`.
@_exported public import UV

#if HTTP || Everything
@_exported public import HTTPTypes
#else
// Without the trait the module is empty but for these names: to use one is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPServer {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPClient {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPExchange {}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var http: Never { fatalError() }
}
#endif
