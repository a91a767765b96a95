#if canImport(Combine) || Futures || Everything
/// A publisher of this module without its type.
///
/// `AnyPublisher` erases a type, too, and is what an interface should use that others implement or consume. A
/// chain that a program builds step by step, a million long, needs this one: subscribing, delivery and the
/// release of such a chain take no more stack than that of a short one, and its operators are those of
/// ``LoopPublisher``.
///
/// Combine's `AnyPublisher`.
public struct AnyLoopPublisher<Output, Failure: Error>: LoopPublisher {
  @usableFromInline let box: LoopPublisherBox<Output, Failure>

  /// Erases the type of `publisher`.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let same = publisher as? Self {
      self = same
    } else {
      box = LoopPublisherBox { $0.attach(toAny: publisher, through: nil) }
    }
  }

  /// Subscribes to the publisher inside.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.attach?(Downstream(subscriber))
  }
}

extension AnyLoopPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
  /// The name of the type, without what it holds.
  public var description: String { "AnyLoopPublisher" }

  /// The same as the description.
  public var playgroundDescription: Any { description }
}

/// Holds a publisher, and lets it go without calling ever deeper where that holds others.
@usableFromInline
final class LoopPublisherBox<Output, Failure: Error> {
  @usableFromInline var attach: ((Downstream<Output, Failure>) -> Void)?

  @usableFromInline
  init(_ attach: @escaping (Downstream<Output, Failure>) -> Void) { self.attach = attach }

  deinit {
    var last = attach
    attach = nil
    if let state = Trampoline.enter() {
      last = nil
      state.leave()
    } else {
      Trampoline.bounce { last = nil }
    }
    _ = last
  }
}

extension Publisher {
  /// The same publisher without its type, as a publisher of the loop, for chains that are built while the
  /// program runs.
  ///
  /// Any publisher has it: what is no loop's, such as what Combine's own operators return, is brought to the
  /// loop on which it is subscribed to.
  ///
  /// Combine's `eraseToAnyPublisher()`.
  @inlinable
  public func eraseToAnyLoopPublisher() -> AnyLoopPublisher<Output, Failure> { AnyLoopPublisher(self) }
}
#endif
