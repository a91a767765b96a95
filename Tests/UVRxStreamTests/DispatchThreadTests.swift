import Foundation
import Testing
import UVRxStream
import UVTestSupport

/// A thread of one's own, and what queue a dispatch has.
@Suite struct DispatchThreadTests {
  @Test func `A thread does its work in order, on itself alone`() async {
    let (log, threads) = (Log<Int>(), Log<ObjectIdentifier>())
    let thread = DispatchThread(queue: [{ log.append(0) }], name: "worker")
    #expect(thread.name == "worker" && thread.isStarted)
    await withCheckedContinuation { done in
      for number in 1...100 {
        thread.enqueue {
          log.append(number)
          threads.append(ObjectIdentifier(Thread.current))
        }
      }
      Dispatch.on(thread: thread).execute { threads.append(ObjectIdentifier(Thread.current)) }
        .then(.on(thread: thread)) { done.resume() }
    }
    #expect(log.values == Array(0...100))
    #expect(Set(threads.values).count == 1 && !threads.values.contains(ObjectIdentifier(Thread.mainThread)))
    thread.cancel()
  }

  @Test func `A thread does nothing before it is started, or while it is paused`() async {
    let log = Log<String>()
    let thread = DispatchThread(start: false)
    thread.enqueue { log.append("dropped") }
    thread.emptyQueue()
    await withCheckedContinuation { paused in
      thread.enqueue {
        log.append("first")
        thread.pause()
        paused.resume()
      }
      thread.enqueue { log.append("second") }
      #expect(!thread.isStarted && log.values == [])
      thread.start()
      thread.start()
    }
    #expect(thread.paused && thread.isStarted && log.values == ["first"])
    await withCheckedContinuation { done in
      thread.enqueue { done.resume() }
      thread.resume()
    }
    #expect(!thread.paused && log.values == ["first", "second"])
    thread.cancel()
  }

  @Test func `A cancelled thread does no more work, and lets go of it`() async {
    let log = Log<String>()
    let thread = DispatchThread()
    await withCheckedContinuation { released in
      let last = Released { released.resume() }
      thread.enqueue {
        thread.enqueue { log.append("never, \(last)") }
        thread.cancel()
        thread.enqueue { log.append("never") }
      }
    }
    #expect(thread.isCancelled && log.values == [])
  }

  @Test func `A thread that nobody refers to does what it was given, and ends`() async {
    let log = Log<String>()
    await withCheckedContinuation { released in
      let last = Released { released.resume() }
      let thread = DispatchThread()
      thread.enqueue { log.append("first") }
      thread.enqueue { [last] in log.append("last \(type(of: last))") }
    }
    #expect(log.values == ["first", "last Released"])
  }

  @Test func `A dispatch says on which queue it works`() {
    let custom = CustomQueue(type: .serial, name: "one")
    let queues: [Dispatch.Queue] = [
      .main, .background, .priorityBackground(.low), .priorityBackground(.high),
      .priorityBackground(.background),
      .custom(custom), .custom(CustomQueue(type: .serial, name: "one")),
    ]
    for (index, queue) in queues.enumerated() {
      #expect(Dispatch.async(on: queue).queue == queue && Dispatch.sync(on: queue).queue == queue)
      #expect(Dispatch.after(delay: .zero, on: queue).queue == queue)
      for other in queues[..<index] { #expect(queue != other) }
    }
    #expect(Dispatch.inline.queue == nil && Dispatch.newThread.queue == nil)
    #expect(Dispatch.on(thread: DispatchThread()).queue == nil)
  }
}

/// Calls a function when it goes.
private final class Released: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}
