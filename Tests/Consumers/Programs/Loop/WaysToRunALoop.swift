// A loop is run by a class, by a value that is passed on, by another loop, and is stopped.
import Dispatch
import Foundation
import UV

private final class Engine {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  func count(_ path: String) throws -> Int {
    try loop.run { loop in try await loop.files.scandir(path).value.count }
  }

  func tick() -> Bool {
    var fired = false
    loop.runCallbacks { loop in loop.sleep(for: .milliseconds(1)) { _ in fired = true } }
    return fired
  }

  deinit {
    loop.shutdown()
    print("shut down: \(loop.isClosed)")
  }
}

private struct Application {
  let run: EventLoop.Runner
  let callbacks: EventLoop.CallbackRunner

  func size(of path: String) throws -> Int64 {
    try run { loop in try await loop.files.stat(path).value.size }
  }

  func turns() -> Int {
    callbacks { loop in
      loop.sleep(for: .milliseconds(1)) { _ in print("slept") }
      return 1
    }
  }
}

enum WaysToRunALoop: Program {
  static func main() throws {
    try loopKeptByAClass()
    try runPassedOn()
    try loopInsideAnotherLoop()
    try stoppingALoop()
  }

  /// A class that owns a loop runs it several times, and shuts it down when it goes.
  private static func loopKeptByAClass() throws {
    let engine = try Engine()
    print(try engine.count("/") > 0)
    print(engine.tick())
    print(try engine.count("/") > 0)
    do {
      _ = try engine.count("/nowhere")
    } catch {
      print(error)
    }
    print(engine.tick())
  }

  /// The ways to run a loop of one's own are values: a program passes one to whoever starts something.
  private static func runPassedOn() throws {
    let loop = try EventLoop()
    let application = Application(run: loop.run, callbacks: loop.runCallbacks)
    print(try application.size(of: "/") >= 0)
    print(application.turns())
    loop.shutdown()
  }

  /// A loop is driven from outside by its descriptor, its timeout and `runNoWait()`.
  private static func loopInsideAnotherLoop() throws {
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

  /// `stop()` cancels the tasks and ends the run, whatever else is pending; the executor does so from any thread.
  private static func stoppingALoop() throws {
    EventLoop.run { loop in
      loop.spawn {
        do {
          try await loop.sleep(for: .untilCancelled).value
        } catch {
          print("cancelled: \(error.isCancelled)", Task.isCancelled)
        }
      }
      loop.sleep(for: .untilCancelled) { result in
        if case .failure(let error) = result { print("callback: \(error.name)") }
      }
      try? await loop.sleep(for: .milliseconds(2)).value
      loop.stop()
    }
    print("first")

    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { executor.stop() }
      loop.sleep(for: .untilCancelled) { _ in }
    }
    print("second")
  }
}

// Prints:
// true
// true
// true
// fs_scandir /nowhere: no such file or directory (ENOENT)
// true
// shut down: true
// true
// slept
// 1
// true true false
// true true false
// a turn
// false
// true false
// cancelled: true true
// callback: ECANCELED
// first
// second
