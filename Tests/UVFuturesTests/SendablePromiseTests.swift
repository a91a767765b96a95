#if Everything
import Dispatch
import Testing
import UV
import UVFutures
import UVTestSupport

/// Promises that the completion handlers of other threads' work capture.
@Suite struct SendablePromiseTests {
  private static func load(_ value: Int, _ completion: @escaping @Sendable (Result<Int, UVError>) -> Void) {
    DispatchQueue.global().async { completion(.success(value)) }
  }

  @Test func `A completion handler of another thread's work may capture the promise`() async throws {
    try await withLoop { _ in
      let one = try await Future<Int, UVError> { promise in Self.load(1) { promise($0) } }.value
      let two = try await Future<Int, UVError> { Self.load(2, $0) }.value
      #expect(one == 1 && two == 2)
    }
  }

  @Test func `So it may outside a loop`() async throws {
    let heard = Log<Int>()
    await withCheckedContinuation { continuation in
      let future = Future<Int, UVError> { promise in Self.load(3) { promise($0) } }
      future.subscribe(
        Subscribers.Sink(
          receiveCompletion: { _ in continuation.resume() }, receiveValue: { heard.append($0) }))
    }
    #expect(heard.values == [3])
  }

  @Test func `The promise of a value that isn't Sendable stays what it was`() async throws {
    final class Draft { let text = "words" }
    try await withLoop { loop in
      let future = Future<Draft, Never> { promise in loop.queueMicrotask { promise(.success(Draft())) } }
      #expect(await future.value.text == "words")
    }
  }
}
#endif
