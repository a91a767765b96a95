import Foundation
import Testing
import UV
import UVTestSupport

/// Calls on a thread that isn't the loop's, as a program makes them that is compiled in Swift 5 mode.
@Suite struct WrongThreadTests {
  /// Runs `body` on another thread while the loop of this one waits.
  private static func elsewhere<Value>(_ value: Value, _ body: @escaping @Sendable (Value) -> Void) {
    let box = Box(value)
    let done = DispatchSemaphore(value: 0)
    Thread {
      body(box.value!)
      done.signal()
    }.start()
    done.wait()
  }

  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("Work that is queued on another thread stops the program with a sentence that names the remedy")
  func queued() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in loop.queueMicrotask {} }
    }
    let text = Self.text(result)
    #expect(text.contains("queueMicrotask(_:) on a thread that isn't the event loop's"))
    #expect(text.contains("use executor.execute to get there"))
  }

  @Test func `So does a task that is spawned there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in loop.spawn {} }
    }
    #expect(Self.text(result).contains("spawn on a thread that isn't the event loop's: use executor.execute"))
  }

  @Test func `So does a task that is set there to keep no loop running`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop.spawn {}) { task in task.keepsLoopRunning = false }
    }
    #expect(Self.text(result).contains("keepsLoopRunning on a thread that isn't the event loop's"))
  }

  @Test func `So does a timer that is started there while the loop waits`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in loop.sleep(for: .untilCancelled) { _ in } }
    }
    #expect(Self.text(result).contains("a timer of an event loop on a thread that isn't the event loop's"))
  }

  @Test func `So do a handle that is made there, and one that is closed there`() async {
    let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in _ = try? loop.tcp.listen(port: 0) }
    }
    #expect(Self.text(made).contains("a new handle of an event loop on a thread that isn't the event loop's"))
    let closed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(try loop.tcp.listen(port: 0)) { listener in listener.close() }
    }
    #expect(Self.text(closed).contains("close() on a thread that isn't the event loop's"))
  }

  @Test func `So does a source that is started there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(try loop.tcp.listen(port: 0)) { listener in listener.start { _ in } }
    }
    #expect(
      Self.text(result).contains("start() on a thread that isn't the event loop's: use executor.execute"))
  }

  @Test func `So does a request for a source's next element, and a file operation`() async {
    let asked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(try loop.tcp.listen(port: 0)) { listener in listener.next { _ in } }
    }
    #expect(Self.text(asked).contains("on a thread that isn't the event loop's: use executor.execute"))
    let file = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in loop.files.stat("/") { _ in } }
    }
    #expect(Self.text(file).contains("on a thread that isn't the event loop's: use executor.execute"))
  }

  @Test func `So does work for the thread pool, which doesn't begin`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in loop.work({ _ = write(2, "begun", 5) }) { _ in } }
    }
    let text = Self.text(result)
    #expect(text.contains("on a thread that isn't the event loop's: use executor.execute"))
    #expect(!text.contains("begun"))
  }

  #if DEBUG
  @Test func `A debug build also stops where a loop is only looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in _ = loop.statistics }
    }
    #expect(Self.text(result).contains("statistics on a thread that isn't the event loop's"))
  }
  #endif

  @Test func `What is left of a loop that has ended may be used on any thread, and fails`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let listener = try loop.tcp.listen(port: 0)
      loop.shutdown()
      Self.elsewhere((loop, listener)) { loop, listener in
        precondition(loop.statistics.isIdle && !loop.isAlive)
        listener.close()
        let refused = Result { () throws(UVError) in try loop.tcp.listen(port: 0) }
        if case .failure(let error) = refused {
          precondition(error.code == .loopClosed)
        } else {
          fatalError()
        }
      }
    }
  }

  #if os(Linux)
  @Test func `What is left of a task is used when its loop has gone`() async {
    await #expect(processExitsWith: .success) {
      // Has the system overwrite what is freed (M_PERTURB).
      typealias Option = @convention(c) (Int32, Int32) -> Int32
      _ = unsafeBitCast(try #require(dlsym(nil, "mallopt")), to: Option.self)(-6, 0xA5)
      let task = EventLoop.runCallbacks { loop in loop.spawn {} }
      task.cancel()
      task.keepsLoopRunning = true
      task.cancellation.cancel()
      precondition(!task.keepsLoopRunning && !task.isCancelled && task.resultIfFinished != nil)
    }
  }
  #endif

  @Test func `A loop moves to the thread that runs it`() async throws {
    try await withThread {
      let loop = try EventLoop()
      Self.elsewhere(loop) { loop in
        loop.runCallbacks { loop in loop.sleep(for: .zero) { _ in } }
        loop.shutdown()
      }
    }
  }
}
