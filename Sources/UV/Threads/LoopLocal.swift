/// A value of its own for each loop.
///
/// A server on several loops often has state that would need a lock if the loops shared it: a cache,
/// counters, a pool of connections. This gives each loop its own, which needs none and may hold what isn't
/// `Sendable`:
///
/// ```swift
/// let caches = LoopLocal { loop in Cache(loop) }
/// try await group.serve(port: 8080) { connection in
///   await answer(connection, caches[connection.loop])
/// }
/// ```
///
/// The value is made when it is first asked for, and is dropped at the end of the loop. It usually is an
/// object, so that all callers see its changes. Make one `LoopLocal` for the whole program: a loop keeps its
/// value even if the `LoopLocal` itself goes.
public final class LoopLocal<Value>: Sendable {
  private let number = LoopLocals.numbers.next()
  private let make: @Sendable (EventLoop) -> Value

  /// Makes a place for a value on each loop.
  ///
  /// - Parameter make: Makes the value of a loop. It is called on the loop's thread, once for each loop that
  ///   asks.
  public init(_ make: @escaping @Sendable (EventLoop) -> Value) { self.make = make }

  /// The value of a loop.
  ///
  /// A loop that has been shut down keeps nothing: it gets a new value each time. Complexity: O(1).
  public subscript(loop: EventLoop) -> Value {
    // The number is this object's alone, and so is the type. The value itself isn't asked for its type: where
    // `Value` is optional, a value that is missing would pass for nil.
    loop.requireOnLoop("the value of a LoopLocal")
    if let place = loop.ties.locals[number] { return (place as! LoopLocalPlace<Value>).value }
    let value = make(loop)
    if !loop.isClosed { loop.ties.locals[number] = LoopLocalPlace(value) }
    return value
  }
}

/// The place of a value among those of its loop.
class LoopLocalAnyPlace {
  /// The value, if it observes its loop's end.
  var observer: (any LoopLocalObserver)? { nil }
}

private final class LoopLocalPlace<Value>: LoopLocalAnyPlace {
  let value: Value

  init(_ value: Value) { self.value = value }

  override var observer: (any LoopLocalObserver)? { value as? any LoopLocalObserver }
}

/// A value that observes its loop's end.
package protocol LoopLocalObserver: AnyObject {
  /// The loop ends: it is closed, and ends next what is open on it. Called on the loop's thread.
  func loopEnds()
}

/// A generic type has no static storage.
private enum LoopLocals {
  static let numbers = Numbering()
}
