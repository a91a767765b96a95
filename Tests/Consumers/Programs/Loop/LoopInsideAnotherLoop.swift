// A loop is driven from outside by its descriptor, its timeout and `runNoWait()`.
import Foundation
import UV

enum LoopInsideAnotherLoop: Program {
  static func main() throws {
    let loop = try EventLoop()
    var done = false
    loop.sleep(for: .milliseconds(5)) { _ in done = true }
    print(loop.backendFD >= 0, loop.isAlive, loop.isRunning)
    var turns = 0
    while !done {
      var descriptor = pollfd(fd: loop.backendFD, events: Int16(POLLIN), revents: 0)
      let timeout = loop.backendTimeout.map { Int32($0 / .milliseconds(1)) + 1 } ?? -1
      poll(&descriptor, 1, timeout)
      _ = try loop.runNoWait()
      turns += 1
    }
    print(done, turns > 0, loop.isAlive)
    loop.queueMicrotask { print("a turn") }
    print(try loop.runOnce())
    loop.shutdown()
    print(loop.isClosed, loop.isShuttingDown)
  }
}

// Prints:
// true true false
// true true false
// a turn
// false
// true false
