import Testing
import UV
import UVRxStream
import UVTestSupport

/// What a cancelled task gets that awaits a future of a stream, and that nothing is left.
@Suite struct CancelledAwaitTests {
  /// Where the future comes from.
  enum Origin: CaseIterable, Sendable { case input, request, chain }

  @Test(
    "A cancelled task that awaits a future gets cancelled, and the future's work goes on",
    arguments: Origin.allCases, [false, true])
  func cancelled(origin: Origin, isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      let input = FutureInput<Int, UVError>()
      var answer: ((Result<Int, UVError>) -> Void)?
      let future: Future<Int, UVError>
      switch origin {
      case .input: future = input
      case .request:
        let request = Request<Int>(loop) { done in
          answer = done
          return PendingRequest()
        }
        future = request.streamFuture()
      case .chain: future = input.map { $0 }
      }
      let task = loop.spawn { try await future.value }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await #expect(throws: UVError.self) {
        do { _ = try await task.value } catch let error as UVError {
          #expect(error.code == .cancelled)
          throw error
        }
      }
      if origin == .request { answer?(.success(42)) } else { input.complete(42) }
      let value = try await future.value
      #expect(value == 42)
    }
  }

  @Test("A task that awaits a future whose completion is lost gets abandoned", arguments: [false, true])
  func lost(isLostLater: Bool) async throws {
    try await withLoop { loop in
      let request = Request<Int>(loop) { done in
        if isLostLater { loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(done) {} } }
        return PendingRequest()
      }
      await #expect(throws: UVError(.abandoned, operation: "lost")) {
        _ = try await request.streamFuture().value
      }
    }
  }
}
