import Synchronization

/// What a test has seen, in order; any thread may add to it.
public final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  /// An empty log.
  public init() {}

  /// What has been seen so far.
  public var values: [Element] { elements.withLock { $0 } }

  /// Adds something.
  public func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
