// Futures that are resolved by a queue and by a thread are heard on the loop.
import Foundation
import UV
import UVFutures

private func checksum(_ bytes: Bytes, on loop: EventLoop) -> Future<Int, Never> {
  Future(on: loop) { resolver in
    DispatchQueue.global().async { resolver(.success(bytes.reduce(0) { $0 + Int($1) })) }
  }
}

enum FutureResolvedByAQueue: Program {
  struct Refused: Error {}

  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      checksum([1, 2, 3], on: loop)
        .sink { print($0, executor.isOnLoop) }
        .store(in: &subscriptions)
    }
    try EventLoop.run { loop in
      let (future, resolver) = Future<String, Refused>.pending(on: loop)
      Thread.detachNewThread { resolver(.success("from a thread")) }
      print(try await future.value)
      let (second, refuse) = Future<String, Refused>.pending(on: loop)
      Task.detached { refuse(.failure(Refused())) }
      do throws(Refused) {
        print(try await second.value)
      } catch {
        print("refused")
      }
    }
  }
}

// Prints:
// 6 true
// from a thread
// refused
