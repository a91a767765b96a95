import Synchronization

/// What a test has seen, in order; any thread may add to it.
final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var values: [Element] { elements.withLock { $0 } }
  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
