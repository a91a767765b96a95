#if canImport(Combine) || Futures || Everything
import UV

extension EventLoop {
  /// The current loop; without one the program stops with a sentence that says what needs it.
  static func needed(for what: String) -> EventLoop {
    guard let current else { fatalError("\(what) needs an event loop: do it inside EventLoop.run") }
    return current
  }
}
#endif
