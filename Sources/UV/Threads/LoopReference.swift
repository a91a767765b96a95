/// Refers to an object of a loop from any thread, without keeping it.
struct LoopReference<Object: AnyObject>: Sendable {
  // Sound: the reference is loaded on the loop's thread alone, and the runtime keeps weak references safe
  // from an object that goes meanwhile.
  private final class Place: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
  }

  private let place: Place
  private let executor: LoopExecutor

  init(_ object: Object, of loop: EventLoop) {
    place = Place(object)
    executor = loop.executor
  }

  /// Calls `body` with the object on the loop's thread: at once if that is this one. Does nothing if the
  /// object has gone, or the loop has ended.
  func perform(_ body: @escaping @Sendable (Object) -> Void) {
    if executor.isOnLoop {
      if let object = place.object { body(object) }
      return
    }
    let place = place
    // A loop that has ended has ended what it had.
    try? executor.execute { _ in if let object = place.object { body(object) } }
  }
}
