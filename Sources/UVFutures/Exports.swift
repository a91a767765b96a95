// Combine's vocabulary comes with this module: `import UVFutures` is all that a user writes.
#if canImport(Combine)
@_exported import Combine
#elseif Futures || Everything
@_exported import OpenCombine
@_exported import OpenCombineDispatch
#else
public import UV

// Without the trait the module is empty but for these names: to use one is an error that says what to write.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class AnyCancellable {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public struct AnyPublisher<Output, Failure: Error> {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class Future<Output, Failure: Error> {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class PassthroughSubject<Output, Failure: Error> {}

extension Request {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func publisher() -> Never { fatalError() }

  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func future() -> Never { fatalError() }
}

extension EventSource {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func publisher() -> Never { fatalError() }
}
#endif
