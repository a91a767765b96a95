// RxStream's futures of functions whose completion handlers are called by other threads, as their types say.
import Dispatch
import UV
import UVRxStream

/// Of no use to another thread.
private final class Draft {
  var text = "words"
}

private struct Refused: Error {}

private func load(completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
  DispatchQueue.global().async { completion(.success(42)) }
}

enum RxCompletionHandlers: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await Future<Int, any Error> { completion in load { completion($0) } }.value)
      print(try await Future<Int, any Error> { load(completion: $0) }.value)
      print(try await Lazy<Int, any Error> { completion in load { completion($0.map { $0 + 1 }) } }.value)
      print(try await StreamPromise<Int, any Error> { _, completion in load { completion($0) } }.value)
      let progression = Progression<Int, Int, any Error> { progress, completion in
        load { result in
          progress(ProgressEvent(title: "load", unit: "parts", current: 1, total: 1))
          completion(result)
        }
        return nil
      }
      print(try await progression.onProgress { print("progress \($0.current)") }.value)

      // The completion of a value that no other thread may have stays on the loop.
      let draft = Future<Draft, any Error> { done in loop.queueMicrotask { done(.success(Draft())) } }
      print(try await draft.value.text)
      let later = Lazy<Draft, any Error> { done in loop.queueMicrotask { done(.failure(Refused())) } }
      do { print(try await later.value.text) } catch { print(error is Refused) }
    }
  }
}

// Prints:
// 42
// 42
// 43
// 42
// progress 1
// 42
// words
// true
