import Foundation
import Testing
import UV

/// Runs `body` on an event loop in a thread of its own, and checks that nothing is left on the loop.
@discardableResult
func withLoop<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
) async throws -> T {
  let (result, rest): (Result<T, any Error>, LoopStatistics?) = await withCheckedContinuation {
    continuation in
    Thread {
      var rest: LoopStatistics?
      let result = Result {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let result = Result { try loop.run(body) }
        rest = loop.statistics
        return try result.get()
      }
      continuation.resume(returning: (result, rest))
    }.start()
  }
  if let rest { #expect(rest.isIdle, "\(rest)", sourceLocation: sourceLocation) }
  return try result.get()
}
