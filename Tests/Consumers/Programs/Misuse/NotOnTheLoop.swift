// Code that says it is on the loop, and is not, stops with a sentence.
import Foundation
import UV

enum NotOnTheLoop: Program {
  static func main() throws {
    let loop = try EventLoop()
    print(loop.executor.isIsolatingCurrentContext() ?? true)
    loop.runCallbacks { $0.executor.checkIsolated() }
    let executor = loop.executor
    let isChecked = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      executor.checkIsolated()
      isChecked.signal()
    }
    isChecked.wait()
    loop.shutdown()
  }
}

// Stops:
// use executor.execute to get there
