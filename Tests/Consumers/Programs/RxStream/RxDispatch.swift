// Where work is done: on queues, one piece after the other, and back on the loop.
import Dispatch
import UV
import UVRxStream

private func start(_ queue: Dispatch.Queue, _ priority: Dispatch.Queue.Priority) -> DispatchChain {
  Dispatch.sync(on: queue).execute {}.then(.sync(on: .priorityBackground(priority))) { print("worked") }
}

private func moved(_ future: Future<Int, Never>) -> Dispatched<Int, Never> {
  future.dispatch(.async(on: .background))
}

private func finish(_ resolver: FutureCompletion<Int, Never>) { resolver(.success(3)) }

private struct Unreadable: Error {}

enum RxDispatch: Program {
  static func main() throws {
    try dispatchChains()
    try dispatchWrittenOut()
    try lazyAndDispatched()
    try rxDispatchedStreams()
    oneThread()
    throttledProgress()
  }

  /// What one thread has to do, and when.
  private static func oneThread() {
    let done = DispatchSemaphore(value: 0)
    let thread = DispatchThread(start: false, queue: [{ print("begun") }], name: "worker")
    thread.emptyQueue()
    print(thread.name ?? "unnamed", thread.isStarted)
    thread.start()
    Dispatch.on(thread: thread).execute { print("by the thread") }
      .then(.on(thread: thread)) {
        thread.pause()
        done.signal()
      }
    done.wait()
    print(thread.isStarted, thread.paused)
    thread.enqueue { done.signal() }
    thread.resume()
    done.wait()
    thread.cancel()
    print(thread.isCancelled)
    let queue = Dispatch.Queue.custom(CustomQueue("of one's own"))
    let queues = [Dispatch.async(on: queue), .sync(on: .main)].compactMap(\.queue)
    print(queues[0] == queue, queues[1] == .background)
  }

  /// How far work has come, said now and then, and what happens to it.
  private static func throttledProgress() {
    EventLoop.runCallbacks { loop in
      let copy = ProgressionInput<Int, String, Never>()
      copy.throttle(TimedThrottle(interval: .milliseconds(10))).onProgress { print($0.current, $0.unit) }.on {
        print($0)
      }
      copy.debugPrinter = { print($0.hasPrefix("Future")) }
      let names = HotInput<String, Never>().named("names")
      names.debugPrinter = { print($0.hasPrefix("names")) }
      for current in 1...3 {
        copy.updateProgress(ProgressEvent(title: "Copying", unit: "files", current: current, total: 3))
      }
      copy.complete("copied")
      names.push("one")
      names.terminate()
    }
  }

  /// Work on queues, one piece after the other, and what follows is awaited.
  private static func dispatchChains() throws {
    let done = DispatchSemaphore(value: 0)
    Dispatch.async(on: .background)
      .execute { print("first") }
      .then(.sync(on: .background)) { print("second") }
      .then(.after(delay: .milliseconds(1), on: .priorityBackground(.high))) { print("third") }
      .then(.newThread) { done.signal() }
    done.wait()
    Dispatch.sync(on: .main).execute { print("on the main queue") }
  }

  /// Functions whose parameters say where work is done, with their types written out.
  private static func dispatchWrittenOut() throws {
    try EventLoop.run { _ in
      let third = Future<Int, Never>(dispatch: .inline) { finish($0) }
      print(try await moved(third).map { $0 * 10 }.value)
    }
    _ = start(.background, .low)
    let chain = start(.background, .high)
    chain.then(.sync(on: .background)) { print("after that") }
  }

  /// A lazy future runs when somebody wants it; others run their work where `Dispatch` says, and come back.
  private static func lazyAndDispatched() throws {
    EventLoop.runCallbacks { loop in
      let lazy = Lazy<Int, Never> { promise in
        print("the work begins")
        promise(.success(1))
      }
      loop.sleep(for: .milliseconds(1)) { _ in
        print("nobody has asked yet")
        lazy.on { print("lazy \($0)") }
      }
      let never = Lazy<Int, Never> { _ in print("never") }
      _ = never
    }
    let queue = CustomQueue("of my own")
    for dispatch in [
      Dispatch.inline, .async(on: .background), .async(on: .custom(queue)), .newThread,
      .after(delay: .milliseconds(1), on: .priorityBackground(.high)), .sync(on: .custom(queue)),
    ] {
      EventLoop.runCallbacks { loop in
        let executor = loop.executor
        Future<Bool, Never>(dispatch: dispatch) { resolver in resolver(.success(executor.isOnLoop)) }
          .on { print("worked on the loop: \($0), heard there: \(executor.isOnLoop)") }
      }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Lazy<Int, Never>(dispatch: .async(on: .priorityBackground(.low))) { $0(.success(2)) }
        .dispatch(.async(on: .custom(queue)))
        .map { number in executor.isOnLoop || !queue.isCurrent ? nil : number + 1 }
        .dispatch(.async(on: .priorityBackground(.background)))
        .resultMap { .success($0 + 1) }
        .dispatch(.inline)
        .on { print("dispatched \($0)") }
    }
    print(queue.isCurrent)
  }

  /// The values of a stream are parsed on a queue, in their order, and shown on the loop; what nobody holds persists.
  private static func rxDispatchedStreams() throws {
    EventLoop.runCallbacks { loop in
      let lines = HotInput<String, Unreadable>().persist()
      var unreadable = 0
      lines
        .dispatch(.async(on: .background)).resultMap { line in
          Int(line).map { .success($0) } ?? .failure(Unreadable())
        }
        .onError { _ in unreadable += 1 }
        .dispatch(.async(on: .background)).map { $0 > 10 ? nil : $0 * 10 }
        .on { print($0, loop.executor.isOnLoop) }
        .dispatch(.async(on: .background)).on { [executor = loop.executor] _ in assert(!executor.isOnLoop) }
        .onTerminate { print($0, unreadable) }
      for line in ["1", "2", "x", "11", "4"] { lines.push(line) }
      lines.terminate()
    }
    EventLoop.runCallbacks { loop in
      func later() -> Future<Int, Never> { FutureInput<Int, Never>().persist() }
      let answer = later()
      answer.on { print("answer", $0) }
      loop.queueMicrotask { (answer as? FutureInput<Int, Never>)?.complete(42) }
    }
  }
}

// Prints:
// first
// second
// third
// on the main queue
// 30
// worked
// worked
// after that
// nobody has asked yet
// the work begins
// lazy 1
// worked on the loop: true, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: true, heard there: true
// dispatched 4
// false
// 10 true
// 20 true
// 40 true
// completed 1
// answer 42
// worker false
// by the thread
// true true
// true
// true false
// 1 files
// true
// copied
// true
// true
