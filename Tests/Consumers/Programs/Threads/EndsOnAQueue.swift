// Errors are recovered from and caught on queues, and what comes last is done there, too.
import Dispatch
import UV
import UVPromises

enum EndsOnAQueue: Program {
  struct Broken: Error {}

  static func broken() -> Promise<Int> { Promise(error: Broken()) }

  static func main() throws {
    let queue = DispatchQueue(label: "ends")
    let examples: [(EventLoop) -> Void] = [
      { loop in
        let executor = loop.executor
        broken()
          .ensure(on: queue) { print("ensured, on the loop: \(executor.isOnLoop)") }
          .catch(on: queue) { print("caught \($0), on the loop: \(executor.isOnLoop)") }
          .finally(on: queue) { print("finally, on the loop: \(executor.isOnLoop)") }
      },
      { _ in
        broken().ensureThen(on: queue) { Guarantee() }.recover(on: queue) { _ in Guarantee.value(2) }
          .done { print($0) }
      },
      { _ in
        broken().recover(on: queue, policy: .allErrors) { _ in Promise.value(3) }.done { print($0) }
          .cauterize()
      },
      { _ in
        let sure: Guarantee<Void> = broken().asVoid().recover(on: queue) { _ in }
        sure.done { print("sure") }
      },
      { _ in
        broken().asVoid().recover(on: queue) { error in
          guard error is Broken else { throw error }
        }
        .done { print("only what is broken") }.cauterize()
      },
      { _ in broken().catch { _ in }.finally(on: queue, flags: .barrier) { print("behind the others") } },
      { _ in broken().catch { _ in }.finally(on: DispatchQueue.main) { print("on the main queue") } },
    ]
    for example in examples {
      EventLoop.runCallbacks { loop in example(loop) }
      // The loop does not wait for what comes last on a queue.
      queue.sync {}
    }
    EventLoop.runCallbacks { loop in _ = loop.sleep(for: .milliseconds(1)).promise() }
  }
}

// Prints:
// ensured, on the loop: false
// caught Broken(), on the loop: false
// finally, on the loop: false
// 2
// 3
// sure
// only what is broken
// behind the others
// on the main queue
