// A promise that wraps a completion handler of a dispatch queue is resolved on the queue's thread.
import Dispatch
import UV
import UVPromises

enum PromiseResolvedByAQueue: Program {
  static func compute(_ n: Int, _ completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { completion(n * n) }
  }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      let squares = (1...3).map { n in
        Promise<Int> { seal in
          compute(n) { seal.fulfill($0) }
        }
      }
      when(fulfilled: squares).done { print($0) }.catch { print($0) }
    }
  }
}

// Prints:
// [1, 4, 9]
