import Foundation
import UV

/// How many threads libuv's pool has.
public let poolThreads = ProcessInfo.processInfo.environment["UV_THREADPOOL_SIZE"].flatMap { Int($0) } ?? 4

/// Runs `body` while all threads of the pool are busy.
public nonisolated(nonsending) func withBusyPool(
  of loop: EventLoop, _ body: nonisolated(nonsending) () async throws -> Void
) async throws {
  let gate = DispatchSemaphore(value: 0)
  for _ in 0..<poolThreads { loop.work({ gate.wait() }) { _ in } }
  defer { for _ in 0..<poolThreads { gate.signal() } }
  try await body()
}
