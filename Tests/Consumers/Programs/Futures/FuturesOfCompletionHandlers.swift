// Futures of functions whose completion handlers are called by other threads, as their types say, or by the loop.
import Dispatch
import UV
import UVFutures

/// Of no use to another thread.
private final class Draft {
  var text = "words"
}

private struct Refused: Error {}

private func fetch(fails: Bool = false, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
  DispatchQueue.global().async { fails ? completion(nil, Refused()) : completion(42, nil) }
}

private func load(completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
  DispatchQueue.global().async { completion(.success("loaded")) }
}

private func number(fails: Bool = false) -> Future<Int, any Error> {
  Future { promise in
    fetch(fails: fails) { number, error in
      if let number { promise(.success(number)) } else { promise(.failure(error!)) }
    }
  }
}

/// Of any type, `Sendable` or not.
private func later<Value>(_ loop: EventLoop, _ value: Value) -> Future<Value, Never> {
  Future { promise in loop.queueMicrotask { promise(.success(value)) } }
}

enum FuturesOfCompletionHandlers: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await number().value)
      do { print(try await number(fails: true).value) } catch { print(error is Refused) }
      print(try await Future<String, any Error> { load(completion: $0) }.value)
      for try await value in number().map({ $0 + 1 }).values { print(value) }

      // The promise of a value that no other thread may have stays on the loop.
      print(
        await Future<Draft, Never> { promise in loop.queueMicrotask { promise(.success(Draft())) } }.value
          .text)
      print(await later(loop, 7).value, await later(loop, Draft()).value.text)
      var promises: [Future<Int, Never>.Promise] = []
      let kept = Future<Int, Never> { promises.append($0) }
      promises[0](.success(8))
      print(await kept.value)
    }

    // Outside a loop, too.
    let semaphore = DispatchSemaphore(value: 0)
    let outside = number().sink { _ in
      semaphore.signal()
    } receiveValue: {
      print("outside \($0)")
    }
    semaphore.wait()
    outside.cancel()
  }
}

// Prints:
// 42
// true
// loaded
// 43
// words
// 7 words
// 8
// outside 42
