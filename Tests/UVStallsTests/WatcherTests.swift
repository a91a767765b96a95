import Foundation
import StallWatch
import Synchronization
import Testing
import UVTestSupport

#if os(Linux)
import Glibc

/// Threads that have no loop. One test at a time, because they look at the process's threads and signals.
@Suite(.serialized) struct WatcherTests {
  @Test("A thread that says when it works is reported while it works for too long, with the function")
  func aThreadThatSaysWhenItWorks() async throws {
    let found = Log<(name: String, function: String?)>()
    try await withThread {
      let watcher = try StallWatcher("a worker", longerThan: .milliseconds(10)) {
        found.append(($0.name, $0.function))
      }
      // On a busy machine the thread may be interrupted elsewhere first.
      for _ in 0..<50 where !found.values.contains(where: { $0.function?.contains("crunch") == true }) {
        watcher.begin()
        crunch(for: .milliseconds(100))
        watcher.end()
      }
      #expect(watcher.count >= 1)
      watcher.stop()
      let count = watcher.count
      watcher.begin()
      crunch(for: .milliseconds(50))
      watcher.end()
      #expect(watcher.count == count)
    }
    #expect(found.values.contains { $0.function?.contains("crunch") == true && $0.name == "a worker" })
  }

  @Test("A thread that is asked is reported while it doesn't answer, and not while it waits for work")
  func aThreadThatIsAsked() async throws {
    let found = Log<String?>()
    let worker = Worker()
    let watcher = try StallWatcher("asked", longerThan: .milliseconds(20)) {
      worker.add($0)
    } handler: {
      found.append($0.function)
    }
    // Its thread is known from its first answer on.
    worker.wait()
    while !found.values.contains(where: { $0?.contains("crunch") == true }) {
      worker.add { crunch(for: .milliseconds(100)) }
      worker.wait()
    }
    watcher.stop()
    worker.end()
    #expect(watcher.count >= 1)
  }

  @Test func `What can't be watched is refused, with the reason`() throws {
    #expect(throws: StallWatchError.limit(.microseconds(999))) {
      try StallWatcher("short", longerThan: .microseconds(999)) { _ in }
    }
    #expect(throws: StallWatchError.system(EINVAL)) {
      try StallWatcher("kill", longerThan: .seconds(1), signal: SIGKILL) { _ in }
    }
  }
}

/// A thread that runs what it is given, one after the other.
private final class Worker: Sendable {
  private let work = Mutex<[(@Sendable () -> Void)?]>([])
  private let count = DispatchSemaphore(value: 0)

  init() {
    Thread { [self] in
      while true {
        count.wait()
        guard let next = work.withLock({ $0.removeFirst() }) else { return }
        next()
      }
    }.start()
  }

  func add(_ body: (@Sendable () -> Void)?) {
    work.withLock { $0.append(body) }
    count.signal()
  }

  /// Returns when everything that was added before has run.
  func wait() {
    let done = DispatchSemaphore(value: 0)
    add { done.signal() }
    done.wait()
  }

  func end() { add(nil) }
}

@inline(never) private func crunch(for duration: Duration) {
  let end = ContinuousClock.now.advanced(by: duration)
  while ContinuousClock.now < end {}
}
#endif
