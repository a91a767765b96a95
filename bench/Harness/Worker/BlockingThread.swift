// Sendable unchecked: it holds the name of a thread and nothing that changes.
/// A thread for work that blocks, outside the pool that Swift's tasks share.
public final class BlockingThread: @unchecked Sendable {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let thread: pthread_t

  /// Starts a thread that runs `body`.
  public init(_ body: @escaping @Sendable () -> Void) {
    let boxed = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let error = pthread_create(&thread, nil, { BlockingThread.enter($0) }, boxed)
    #else
      var thread = pthread_t()
      let error = pthread_create(&thread, nil, { BlockingThread.enter($0!) }, boxed)
    #endif
    precondition(error == 0, "cannot start a thread: error \(error)")
    #if canImport(Darwin)
      self.thread = thread!
    #else
      self.thread = thread
    #endif
  }

  private static func enter(_ boxed: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(boxed).takeRetainedValue().run()
    return nil
  }

  /// Waits for the end of the thread. To be called once.
  public func join() { pthread_join(thread, nil) }
}
