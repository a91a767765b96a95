import Foundation
import Testing
public import UV

/// Runs `body` on an event loop in a thread of its own, then checks that nothing was left behind: no handle,
/// request, timer or task on the loop, and no descriptor more than before.
///
/// Loops run one at a time in a test process, so that descriptors can be counted. A run that has not ended
/// after a minute is stopped, and the test says what it waited for.
@discardableResult
public func withLoop<T: Sendable>(
  within limit: Double? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
) async throws -> T {
  try await onLoopThread(sourceLocation, limit) { loop in try loop.run(body) }
}

/// Runs a callback program on an event loop, with the checks of `withLoop`.
@discardableResult
public func withCallbackLoop<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop) throws -> T
) async throws -> T {
  try await onLoopThread(sourceLocation) { loop in try loop.runCallbacks(body) }
}

/// Swift's own `Task.sleep` opens a descriptor for all later ones, which isn't a leak. On a busy machine a
/// short sleep may end before it needs one.
let dispatchTimer = Task {
  for milliseconds in 1...50 {
    try? await Task.sleep(for: .milliseconds(milliseconds))
    if hasSleepTimer { break }
  }
}

/// Whether the descriptor is open: a timer on the clock that `Task.sleep` uses. Dispatch has one for each clock, and
/// others use another.
private var hasSleepTimer: Bool {
  openDescriptors().contains { name, target in
    guard target == "anon_inode:[timerfd]" else { return false }
    let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)
    // CLOCK_BOOTTIME.
    return info?.contains("clockid: 7\n") == true
  }
}

private func onLoopThread<T: Sendable>(
  _ sourceLocation: SourceLocation, _ limit: Double? = nil, _ run: @escaping @Sendable (EventLoop) throws -> T
) async throws -> T {
  await dispatchTimer.value
  let outcome: Outcome<T> = await withCheckedContinuation { continuation in
    Thread {
      let ((result, problems), leaks) = countingDescriptors { () -> (Result<T, any Error>, [String]) in
        var problems: [String] = []
        let result = Result {
          let loop = try EventLoop()
          defer { loop.shutdown() }
          let (result, late) = watching(loop, sourceLocation, limit) { Result { try run(loop) } }
          problems += late
          if !loop.statistics.isIdle { problems.append("left on the loop: \(loop.statistics)") }
          return try result.get()
        }
        return (result, problems)
      }
      continuation.resume(returning: Outcome(result: result, problems: problems + leaks))
    }.start()
  }
  for problem in outcome.problems { Issue.record("\(problem)", sourceLocation: sourceLocation) }
  return try outcome.result.get()
}

/// What a thread hands back: the outcome, and what it left behind.
struct Outcome<T: Sendable> {
  let result: Result<T, any Error>
  let problems: [String]
}

/// The numbers of the process's open descriptors, and what each refers to. Pipes are left out: the test
/// runner opens some of its own while tests run.
public func openDescriptors() -> [String: String] {
  #if os(Linux)
  let directory = "/proc/self/fd"
  #else
  let directory = "/dev/fd"
  #endif
  let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  var descriptors: [String: String] = [:]
  for name in names {
    // The listing's own descriptor has gone by now, and has no target.
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)"),
      !target.hasPrefix("pipe:")
    else { continue }
    descriptors[name] = target
  }
  return descriptors
}
