// An asynchronous sequence becomes a subject that publishers are made of.
import UV
import UVFutures

enum SequenceToSubject: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      PassthroughSubject<Int, Never>.emittingValues(from: stream)
        .map { $0 * 2 }
        .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        .store(in: &subscriptions)
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    EventLoop.runCallbacks { loop in
      let throwing = AsyncThrowingStream<Int, any Error> { continuation in
        continuation.yield(7)
        continuation.finish(throwing: UVError(.busy, operation: "stream"))
      }
      PassthroughSubject<Int, any Error>.emittingValues(from: throwing)
        .catch { error in Just(-1) }
        .collect()
        .sink { print($0) }
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// 2
// 4
// 6
// finished
// [7, -1]
