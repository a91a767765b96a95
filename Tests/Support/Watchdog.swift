import Dispatch
import Foundation
import Synchronization
import Testing
import UV

/// Ends a test that does not end by itself within a minute, and says what it still waits for.
struct Watchdog: Sendable {
  private let ended = DispatchSemaphore(value: 0)

  /// Seconds that a test may take: `UV_TEST_LIMIT` in the environment, or 60; more where tests are long on
  /// purpose.
  static let limit: Double = {
    let environment = ProcessInfo.processInfo.environment
    return environment["UV_TEST_LIMIT"].flatMap(Double.init) ?? (environment["UV_STRESS"] == nil ? 60 : 600)
  }()

  /// Begins to watch. After the limit it calls `act` once, and ends the process if that has not helped.
  init(_ place: SourceLocation, within limit: Double = Self.limit, _ act: @escaping @Sendable () -> Void) {
    let ended = ended
    Thread {
      if ended.wait(timeout: .now() + limit) == .success { return }
      act()
      if ended.wait(timeout: .now() + 30) == .success { return }
      fatalError("\(place.fileID):\(place.line): the test does not end, and cannot be stopped")
    }.start()
  }

  /// The test has ended.
  func end() { ended.signal() }
}

/// Runs `body` and watches the loop meanwhile; what the loop waited for, if it took too long.
func watching<T>(_ loop: EventLoop, _ place: SourceLocation, _ limit: Double?, _ body: () -> T) -> (
  T, problems: [String]
) {
  let found = Late()
  let executor = loop.executor
  let limit = limit ?? Watchdog.limit
  let watchdog = Watchdog(place, within: limit) {
    try? executor.execute { loop in
      found.note("not ended after \(limit) s; it waits for \(waits(of: loop))")
      loop.stop()
    }
  }
  defer { watchdog.end() }
  let value = body()
  return (value, found.notes)
}

/// What keeps a loop running, by name.
private func waits(of loop: EventLoop) -> String {
  let handles = loop.handles.filter { $0.isActive && $0.keepsLoopRunning }.map { handle in
    "\(handle.type)" + (handle.fileDescriptor.map { " \($0)" } ?? "")
  }
  return "\(loop.statistics), handles \(handles)"
}

private final class Late: Sendable {
  private let texts = Mutex<[String]>([])
  var notes: [String] { texts.withLock { $0 } }
  func note(_ text: String) { texts.withLock { $0.append(text) } }
}
