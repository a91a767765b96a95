import Foundation

/// A list that any thread may append to, for what a test has seen.
// Sound: every access is under the lock.
public final class Log<Element>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []

  public init() {}

  public var values: [Element] { lock.withLock { elements } }

  public func append(_ element: sending Element) { lock.withLock { elements.append(element) } }
}
