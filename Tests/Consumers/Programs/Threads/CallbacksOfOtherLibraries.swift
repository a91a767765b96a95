// What wraps completion handlers of other threads, as users of PromiseKit and of Combine write it, is heard on the loop.
import Dispatch
import UV
import UVFutures
import UVPromises

/// A library with a queue of its own.
private func fetch(_ number: Int, _ completion: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { completion(number) }
}

enum CallbacksOfOtherLibraries: Program {
  static func promise(_ number: Int) -> Promise<Int> {
    Promise { seal in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { seal.fulfill(number) }
    }
  }

  static func future(_ number: Int, on loop: EventLoop) -> Future<Int, Never> {
    #if swift(>=6.0)
      Future(on: loop) { promise in fetch(number) { promise(.success($0)) } }
    #else
      Future { promise in fetch(number) { promise(.success($0)) } }
    #endif
  }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      when(fulfilled: (1...100).map(promise)).done { numbers in
        print("promises", numbers.reduce(0, +), executor.isOnLoop)
      }.catch { print($0) }
    }
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      (1...100).publisher.flatMap { future($0, on: loop) }
        .reduce(0, +)
        .sink { print("futures", $0, executor.isOnLoop) }
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// promises 5050 true
// futures 5050 true
