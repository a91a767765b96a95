// Promises that other threads resolve.
import Dispatch
import UV
import UVFutures
import UVPromises

/// A library with a queue of its own.
private func fetch(_ number: Int, _ completion: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { completion(number) }
}

enum PromisesFromThreads: Program {
  static func main() throws {
    try promiseResolvedByAQueue()
    try promiseFromManyThreads()
    try callbacksOfOtherLibraries()
  }

  static func compute(_ n: Int, _ completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { completion(n * n) }
  }

  /// A promise that wraps a completion handler of a dispatch queue is resolved on the queue's thread.
  private static func promiseResolvedByAQueue() throws {
    EventLoop.runCallbacks { loop in
      let squares = (1...3).map { n in
        Promise<Int> { seal in
          compute(n) { seal.fulfill($0) }
        }
      }
      when(fulfilled: squares).done { print($0) }.catch { print($0) }
    }
  }

  struct Refused: Error {}

  /// Resolvers of two thousand promises are called from a concurrent queue, and every handler runs.
  private static func promiseFromManyThreads() throws {
    var sum = 0
    var failures = 0
    EventLoop.runCallbacks { loop in
      let queue = DispatchQueue(label: "queue", attributes: .concurrent)
      let promises = (0..<2000).map { number -> Promise<Int> in
        let (promise, resolver) = Promise<Int>.pending()
        let seal = resolver
        queue.async {
          switch number % 4 {
          case 0: seal.fulfill(1)
          case 1: seal.resolve(1, nil)
          case 2: seal.resolve(.fulfilled(1))
          default: seal.reject(Refused())
          }
        }
        return promise
      }
      for promise in promises {
        promise.done { sum += $0 }.catch { _ in failures += 1 }
      }
    }
    print(sum, failures)
  }

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

  /// What wraps completion handlers of other threads, as users of PromiseKit and of Combine write it, is heard on the
  /// loop.
  private static func callbacksOfOtherLibraries() throws {
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
// [1, 4, 9]
// 1500 500
// promises 5050 true
// futures 5050 true
