import Dispatch
import Testing
import UV
import UVRxStream
import UVTestSupport

/// Completions that the completion handlers of other threads' work capture.
@Suite struct SendableCompletionTests {
  private static func load(_ value: Int, _ completion: @escaping @Sendable (Result<Int, UVError>) -> Void) {
    DispatchQueue.global().async { completion(.success(value)) }
  }

  @Test func `A completion handler of another thread's work may capture the completion`() async throws {
    try await withLoop { _ in
      let values = [
        try await Future<Int, UVError> { done in Self.load(1) { done($0) } }.value,
        try await Lazy<Int, UVError> { done in Self.load(2) { done($0) } }.value,
        try await StreamPromise<Int, UVError> { _, done in Self.load(3) { done($0) } }.value,
      ]
      #expect(values == [1, 2, 3])
      let progress = Log<Int>()
      let progression = Progression<Int, Int, UVError> { report, done in
        Self.load(4) {
          report(ProgressEvent(title: "load", unit: "parts", current: 1, total: 2))
          done($0)
        }
        return nil
      }
      progression.onProgress { progress.append($0.current) }
      let value = try await progression.value
      #expect(value == 4)
      #expect(progress.values == [1])
    }
  }

  @Test func `So it may outside a loop`() async {
    await withCheckedContinuation { continuation in
      Future<Int, UVError> { done in Self.load(5) { done($0) } }.onTerminate { _ in continuation.resume() }
    }
  }

  @Test func `A failed attempt is made again by what runs on another thread`() async throws {
    try await withLoop { _ in
      let attempts = Log<Int>()
      let promise = StreamPromise<Int, UVError> { _, done in
        attempts.append(1)
        Self.load(attempts.values.count) { result in
          done(result.flatMap { $0 < 3 ? .failure(UVError(.timedOut, operation: "load")) : .success($0) })
        }
      }
      let value = try await promise.retry(5).value
      #expect(value == 3)
    }
  }
}
