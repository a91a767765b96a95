// A program without a run waits for promises itself, and hears that this blocks its main thread.
import UV
import UVPromises

enum HangingOnAPromise: Program {
  static func main() throws {
    conf.logHandler = { event in
      if case .waitOnMainThread = event { print(event.description) }
    }
    let loop = try EventLoop()
    print(try hang(loop.files.stat("/").promise().map(\.type)) == .directory)
    let later = loop.sleep(for: .milliseconds(1)).promise().map { 1 }
    print(try later.wait(), later.description)
    loop.shutdown()
    let chain: PMKFinalizer = EventLoop.runCallbacks { loop in
      let chain = loop.sleep(for: .untilCancelled).promise().done { print("never") }.catch {
        print($0)
      }
      loop.sleep(for: .milliseconds(1)) { _ in chain.cancel() }
      return chain
    }
    let context: CancelContext = chain.cancelContext
    print(context.cancelAttempted, context.isCancelled)
  }
}

// Prints:
// waitOnMainThread
// true
// waitOnMainThread
// 1 Promise(1)
// true false
