#if Service || Everything
import UV

/// Lets a task from elsewhere start a body on a loop. The body's task is made by that task, so that it
/// inherits its task-local values.
actor LoopEntrance {
  private nonisolated let executor: LoopExecutor

  init(_ executor: LoopExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a body as a task of the loop, which nothing else has kept running until now.
  func run(_ body: @escaping EventLoopService.Body) async -> Result<Void, any Error> {
    guard let loop = EventLoop.current else { return .failure(CancellationError()) }
    let task = loop.spawn(file: "the body of the service", line: 0) { () async throws -> Void in
      do { try await body(loop) } catch {
        loop.stop()
        throw error
      }
    }
    loop.endWork()
    do { return .success(try await task.value) } catch { return .failure(error) }
  }
}
#endif
