import Foundation
public import Testing

/// Runs `body` on a thread of its own that has no loop, while no other test's loop runs, and checks that no
/// descriptor is left open. A body that has not returned after a minute and a half ends the process with its
/// place.
@discardableResult
public func withThread<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  await dispatchTimer.value
  let outcome: Outcome<T> = await withCheckedContinuation { continuation in
    Thread {
      let (result, leaks) = countingDescriptors {
        let watchdog = Watchdog(sourceLocation) {}
        defer { watchdog.end() }
        return Result { try body() }
      }
      continuation.resume(returning: Outcome(result: result, problems: leaks))
    }.start()
  }
  for problem in outcome.problems { Issue.record("\(problem)", sourceLocation: sourceLocation) }
  return try outcome.result.get()
}

/// Runs `body` while no other test counts descriptors, and says which were left open.
func countingDescriptors<T>(_ body: () -> T) -> (T, problems: [String]) {
  gate.lock()
  defer { gate.unlock() }
  lastNumber += 1
  Thread.current.threadDictionary[numberKey] = lastNumber
  let before = openDescriptors()
  let value = body()
  let more = openDescriptors().filter { before[$0.key] == nil }
  return (value, more.isEmpty ? [] : ["descriptors left open: \(more)"])
}

private let gate = NSLock()
private let numberKey = "number of the test"
// Sound: touched behind the gate.
nonisolated(unsafe) private var lastNumber = 0

/// The number of the test whose loop or body the calling thread was made for; nil on other threads. It parts what one test
/// reports to the whole process from what the next one does.
public var numberOfTest: Int? { Thread.current.threadDictionary[numberKey] as? Int }
