// A loop for tests that know of none: the main thread has one before `main`, and each turn of the main queue is one of the loop.
import BeforeMain
import Dispatch
import Foundation
import UV

/// The loop of the main thread.
// Sound: it is set before `main`, and used on the main thread only.
package nonisolated(unsafe) private(set) var mainLoop: EventLoop!

@_cdecl("beside_xctest_begin")
package func begin() {
  mainLoop = try! EventLoop()
  serve()
}

/// Does what is due on the loop, now and in each turn of the main queue. XCTest runs that while a test waits for an expectation.
private func serve() {
  DispatchQueue.main.async {
    turn()
    serve()
  }
}

/// Does what is due on the loop. If that is nothing, it waits for an event of the loop's, but no longer than a millisecond.
package func turn() {
  // A test may wait for a promise by running the loop.
  if mainLoop.isRunning { return }
  _ = try! mainLoop.runNoWait()
  if mainLoop.backendTimeout == .zero { return }
  var descriptor = pollfd(fd: mainLoop.backendFD, events: Int16(POLLIN), revents: 0)
  poll(&descriptor, 1, 1)
}
