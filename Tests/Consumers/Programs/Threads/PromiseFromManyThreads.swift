// Resolvers of two thousand promises are called from a concurrent queue, and every handler runs.
import Dispatch
import UV
import UVPromises

enum PromiseFromManyThreads: Program {
  struct Refused: Error {}

  static func main() throws {
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
}

// Prints:
// 1500 500
