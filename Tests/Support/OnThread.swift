import Foundation
public import Testing

/// Runs a program that makes its own loops, on a thread of its own, and checks that no descriptor is left open.
public func onThread(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> Void
) async throws {
  let (result, problems) = await withCheckedContinuation { continuation in
    Thread {
      continuation.resume(returning: countingDescriptors { Result { try body() } })
    }.start()
  }
  for problem in problems { Issue.record("\(problem)", sourceLocation: sourceLocation) }
  try result.get()
}

/// Runs `body` while no other test counts descriptors, and says which were left open.
func countingDescriptors<T>(_ body: () -> T) -> (T, problems: [String]) {
  gate.lock()
  defer { gate.unlock() }
  let before = openDescriptors()
  let value = body()
  let more = openDescriptors().filter { before[$0.key] == nil }
  return (value, more.isEmpty ? [] : ["descriptors left open: \(more)"])
}

private let gate = NSLock()

/// Holds a value that a test passes between threads.
// Sound: the test passes it on, and never uses it from two threads at a time.
public final class Box<Value>: @unchecked Sendable {
  /// The value.
  public var value: Value?

  /// A box with a value in it, or an empty one.
  public init(_ value: Value?) { self.value = value }
}
