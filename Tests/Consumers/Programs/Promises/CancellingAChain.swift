// A chain is cancelled from its end: the work is, `ensure` runs, and `catch` may ask to hear of it.
import UV
import UVPromises

enum CancellingAChain: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let chain = loop.sleep(for: .seconds(3600)).promise()
        .map { "slept" }
        .ensure { print("ensured") }
      chain.done { print($0) }
        .catch(policy: .allErrors) { print("caught: \($0.isCancelled)") }
        .finally { print("finally") }
      loop.sleep(for: .milliseconds(1)) { _ in chain.cancel() }

      let context = loop.sleep(for: .seconds(3600)).promise().cancellize().cancelContext
      context.cancel()
      print(context.cancelAttempted)

      let wrapped = Promise<Int> { seal in
        let timer = loop.sleep(for: .seconds(3600)) { _ in seal.fulfill(1) }
        seal.onCancel {
          timer.cancel()
          print("the wrapped work is cancelled")
        }
      }
      wrapped.cancel(with: PMKError.cancelled)
      wrapped.catch { _ in print("not told: the policy leaves cancellations out") }
    }
    EventLoop.runCallbacks { loop in
      struct Closed: Error {}
      let end = loop.sleep(for: .seconds(3600)).promise()
        .ensureThen { after(.milliseconds(1)).done { print("put away") }.cancellize() }
        .catch { print($0) }
      end.cancel(with: Closed())
      let context = after(.seconds(3600)).then { Promise.value(1) }
        .catch(policy: .allErrors) { print("cancelled: \($0.isCancelled)") }
        .finally { print("finally, too") }
      context.cancel()
    }
  }
}

// Prints:
// true
// the wrapped work is cancelled
// ensured
// caught: true
// finally
// cancelled: true
// finally, too
// put away
// Closed()
