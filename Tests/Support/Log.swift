import Foundation

/// What a test has seen, in order; any thread may add to it.
// Sound: every access is under the lock.
public final class Log<Element>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []

  /// An empty log.
  public init() {}

  /// What has been seen so far.
  public var values: [Element] { lock.withLock { elements } }

  /// Adds something.
  public func append(_ element: sending Element) { lock.withLock { elements.append(element) } }
}
