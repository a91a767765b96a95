// The loop and its streams are this module's vocabulary, and `HTTPRequest`, `HTTPResponse` and `HTTPFields`.
@_exported public import UV

#if HTTP || Everything
@_exported public import HTTPTypes
#else
// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public struct HTTP {
  /// Needs the trait.
  public func listen(host: String? = nil, port: Int) throws -> HTTPServer { fatalError() }
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPServer {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPClient {
  /// Needs the trait.
  public init(_ loop: EventLoop, security: Any? = nil, options: Any? = nil) {}
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
public final class HTTPExchange {}

extension EventLoop {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"HTTP\"])")
  public var http: HTTP { fatalError() }
}
#endif
