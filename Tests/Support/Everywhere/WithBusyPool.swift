public import UV

/// Runs `body` while all threads of the pool are busy.
public nonisolated(nonsending) func withBusyPool(
  of loop: EventLoop, _ body: nonisolated(nonsending) () async throws -> Void
) async throws {
  let gate = Semaphore()
  for _ in 0..<poolThreads { loop.work({ gate.wait() }) { _ in } }
  defer { for _ in 0..<poolThreads { gate.signal() } }
  try await body()
}
