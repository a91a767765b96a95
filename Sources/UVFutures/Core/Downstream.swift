#if canImport(Combine) || Futures || Everything
/// A subscription that is an object. Passing one costs a retain, where a subscription of any type is copied
/// through a table of functions.
@usableFromInline
typealias Link = any Subscription & AnyObject

/// A publisher's message to a subscriber, in one value, so that a subscriber is one closure.
@usableFromInline
enum Signal<Input, Failure: Error> {
  case subscription(Link)
  case value(Input)
  case completion(Subscribers.Completion<Failure>)
}

/// A subscriber without its type: one closure over the object that receives.
///
/// The closure is made where the types are known, so its code is specialised even when it is called from
/// generic code, which a method of a generic class is not. Chains of operators do not nest types, either: a
/// chain built at run time can be of any length.
@usableFromInline
struct Downstream<Input, Failure: Error>: Subscriber {
  /// Hands on a signal, and returns the further demand that a value met.
  @usableFromInline let deliver: (Signal<Input, Failure>) -> Subscribers.Demand
  @usableFromInline let combineIdentifier: CombineIdentifier
  /// The type of the object or subscriber behind it, for descriptions.
  @usableFromInline let label: Any.Type
  /// How many operators there are between this and the end of the chain.
  @usableFromInline let height: Int

  @inlinable
  init(
    _ node: AnyObject, height: Int,
    _ deliver: @escaping (Signal<Input, Failure>) -> Subscribers.Demand
  ) {
    self.deliver = deliver
    self.height = height
    label = type(of: node)
    combineIdentifier = CombineIdentifier(node)
  }

  @inlinable
  init(
    _ identifier: CombineIdentifier, _ label: Any.Type, height: Int,
    _ deliver: @escaping (Signal<Input, Failure>) -> Subscribers.Demand
  ) {
    self.deliver = deliver
    self.height = height
    self.label = label
    combineIdentifier = identifier
  }

  /// A subscriber of this module's: one of these is taken as it is, or out of its crossing where that has led
  /// to the loop already. Nil for another library's.
  @inlinable
  init?<S: Subscriber>(own subscriber: S) where S.Input == Input, S.Failure == Failure {
    // The types are compared first, because a cast that fails takes much longer.
    if S.self == Self.self, let same = subscriber as? Self {
      self = same
    } else if S.self == Crossing<Input, Failure>.self, let crossing = subscriber as? Crossing<Input, Failure>
    {
      self = crossing.downstream
    } else {
      return nil
    }
  }

  /// Any subscriber. Another library's gets a subscription that may be used on any thread.
  @inlinable
  init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let own = Self(own: subscriber) {
      self = own
      return
    }
    self.init(subscriber.combineIdentifier, S.self, height: 0) { signal in
      switch signal {
      case .value(let value): return subscriber.receive(value)
      case .subscription(let link): subscriber.receive(subscription: LoopLink.given(for: link))
      case .completion(let completion): subscriber.receive(completion: completion)
      }
      return .none
    }
  }

  @inlinable
  func receive(subscription: any Subscription) { _ = deliver(.subscription(ForeignLink(subscription))) }

  @inlinable
  func receive(link: Link) { _ = deliver(.subscription(link)) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { deliver(.value(input)) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { _ = deliver(.completion(completion)) }
}

extension Downstream {
  /// Every 64 operators the chain comes down to the ground, so that no call stack grows with its length:
  /// this, or where the chain has become so high, a ``Landing`` before it. A step adds one or two to the
  /// height.
  @inlinable
  func grounded() -> Self { height % 64 >= 62 ? Landing(self).downstream : self }

  /// Subscribes to `upstream`: at once, or from the ground right above a landing.
  @inlinable
  func attach<P: Publisher>(to upstream: P) where P.Output == Input, P.Failure == Failure {
    attach(self, to: upstream)
  }

  /// Has `subscriber`, which hands on to this, subscribe to `upstream`.
  @inlinable
  func attach<P: Publisher, S: Subscriber>(_ subscriber: S, to upstream: P)
  where P.Output == Input, P.Failure == Failure, S.Input == Input, S.Failure == Failure {
    if height > 64, height % 64 <= 2 {
      Trampoline.bounce { upstream.receive(subscriber: subscriber) }
    } else {
      upstream.receive(subscriber: subscriber)
    }
  }
}

/// The function of a ``Downstream``. An object that hands on to one keeps this alone, which saves 24 bytes.
///
/// An optional function would get a wrapper wherever it is stored or read, in builds for debugging.
@usableFromInline
struct Delivery<Output, Failure: Error> {
  @usableFromInline let function: (Signal<Output, Failure>) -> Subscribers.Demand

  @inlinable
  init(to downstream: Downstream<Output, Failure>) { function = downstream.deliver }

  @inlinable
  func receive(link: Link) { _ = function(.subscription(link)) }

  @inlinable
  func receive(_ output: Output) -> Subscribers.Demand { function(.value(output)) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { _ = function(.completion(completion)) }
}
#endif
