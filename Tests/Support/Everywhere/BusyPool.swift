public import UV

/// Keeps all threads of the pool busy.
///
/// - Returns: What lets them go. Call it once.
public func keepPoolBusy(of loop: EventLoop) -> () -> Void {
  let gate = Semaphore()
  for _ in 0..<poolThreads { loop.work({ gate.wait() }) { _ in } }
  return { for _ in 0..<poolThreads { gate.signal() } }
}

/// Runs `body` while all threads of the pool are busy.
public nonisolated(nonsending) func withBusyPool(
  of loop: EventLoop, _ body: nonisolated(nonsending) () async throws -> Void
) async throws {
  let letGo = keepPoolBusy(of: loop)
  defer { letGo() }
  try await body()
}
