extension Promise {
  /// Where the promise was made, in debug builds of your program; nil in others.
  ///
  /// A task that waits for a promise shows it in `loop.snapshot()`. PromiseKit doesn't have it.
  public var creationSite: CreationSite? { node.creationSite }
}

extension Guarantee {
  /// Where the guarantee was made, in debug builds of your program; nil in others.
  public var creationSite: CreationSite? { node.creationSite }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value, the error, or that it is pending: `Promise(1)`, `Promise(Boom())`, `Promise(…Int)`.
  public var description: String { node.description("Promise", T.self) }

  /// As ``description``, with what it waits for or has waiting: `Promise<Int>.pending(handlers: 2)`.
  public var debugDescription: String { node.debugDescription("Promise", T.self) }
}

extension Guarantee: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value, or that it is pending: `Guarantee(1)`, `Guarantee(…Int)`.
  public var description: String { node.description("Guarantee", T.self) }

  /// As ``description``, with how many handlers wait: `Guarantee<Int>.pending(handlers: 2)`.
  public var debugDescription: String { node.debugDescription("Guarantee", T.self) }
}

extension Node {
  func description<T>(_ name: String, _ type: T.Type) -> String {
    switch state {
    case .pending: "\(name)(…\(type))"
    case .fulfilled, .revoked: "\(name)(\(value(as: type)))"
    case .rejected: "\(name)(\(failure))"
    }
  }

  func debugDescription<T>(_ name: String, _ type: T.Type) -> String {
    switch state {
    case .pending: "\(name)<\(type)>.pending(handlers: \(handlerCount))"
    case .fulfilled, .revoked: "\(name)<\(type)>.fulfilled(\(value(as: type)))"
    case .rejected: "\(name)<\(type)>.rejected(\(Swift.type(of: failure)).\(failure))"
    }
  }

  private var handlerCount: Int {
    (first == nil ? 0 : 1) + (others?.count ?? 0) + (flags.contains(.isObserved) ? 1 : 0)
  }
}
