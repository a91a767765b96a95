// Combine's vocabulary comes with this module: `import UVFutures` is all that a user writes.
#if canImport(Combine)
@_exported import Combine
#elseif Futures || Everything
@_exported import OpenCombine
@_exported import OpenCombineDispatch
#else
public import UV

// Without the trait the module has these names alone: to use one is an error that says what to write. They take what
// the real ones take in a first program, so that the compiler has no other error.
/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class AnyCancellable {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public struct AnyPublisher<Output, Failure: Error> {
  /// Needs the trait.
  public func sink(
    receiveCompletion: (Any) -> Void = { _ in }, receiveValue: (Output) -> Void
  ) -> AnyCancellable { fatalError() }
}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class Future<Output, Failure: Error> {}

/// Needs the trait.
@available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
public final class PassthroughSubject<Output, Failure: Error> {}

extension Request {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func publisher() -> AnyPublisher<Success, UVError> { fatalError() }

  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func future() -> AnyPublisher<Success, UVError> { fatalError() }
}

extension EventSource {
  /// Needs the trait.
  @available(*, unavailable, message: "add the trait: .package(url: …, traits: [.defaults, \"Futures\"])")
  public func publisher() -> AnyPublisher<Element, UVError> { fatalError() }
}
#endif
