#if Everything
import Foundation
import NIOCore
import Testing
import UV
import UVTestSupport

@testable import UVNIO

/// What a loop's end means for what was given to its NIO event loop, before and after.
@Suite(.serialized) struct EndTests {
  @Test("A loop that ends by itself fails what was scheduled, and refuses what is scheduled later")
  func scheduled() async throws {
    final class Handler: NIOScheduledCallbackHandler, Sendable {
      let log: Log<String>
      init(_ log: Log<String>) { self.log = log }
      func handleScheduledCallback(eventLoop: some NIOCore.EventLoop) { log.append("called") }
      func didCancelScheduledCallback(eventLoop: some NIOCore.EventLoop) { log.append("not called") }
    }
    let log = Log<String>()
    try await withThread {
      try UV.EventLoop.run { loop in
        let nio = loop.nio
        let never = nio.scheduleTask(in: .hours(1)) {}
        never.futureResult.whenFailure { error in
          log.append("\(error)")
          nio.scheduleTask(in: .hours(1)) {}.futureResult.whenFailure { log.append("again: \($0)") }
        }
        _ = try nio.scheduleCallback(in: .hours(2), handler: Handler(log))
        loop.stop()
      }
    }
    #expect(log.values == ["\(EventLoopError.shutdown)", "again: \(EventLoopError.shutdown)", "not called"])
  }

  @Test("A run that ends with an error ends although its tasks await channels and scheduled work")
  func awaited() async throws {
    struct Stop: Error {}
    let log = Log<String>()
    try await withThread {
      #expect(throws: Stop.self) {
        try UV.EventLoop.run { loop in
          let server = try await UVServerBootstrap(group: loop.nio).bind(host: "127.0.0.1", port: 0).get()
          let client = try await UVClientBootstrap(group: loop.nio).connect(to: server.localAddress!).get()
          let later = loop.nio.scheduleTask(in: .hours(1)) {}
          for future in [server.closeFuture, client.closeFuture, later.futureResult] {
            loop.spawn {
              do {
                try await future.get()
                log.append("closed")
              } catch { log.append("\(error)") }
            }
          }
          await Task.yield()
          throw Stop()
        }
      }
    }
    #expect(log.values.sorted() == ["\(EventLoopError.shutdown)", "closed", "closed"])
  }

  @Test("A task that is cancelled by the end of the run says its last word on a channel")
  func lastWord() async throws {
    struct Stop: Error {}
    try await withGroup { group in
      let received = Collect(on: group.next())
      let server = try serve(group) { [received] }
      #expect(throws: Stop.self) {
        try UV.EventLoop.run { loop in
          let client = try await UVClientBootstrap(group: loop.nio).connect(to: server.localAddress!).get()
          loop.spawn {
            _ = try? await loop.sleep(for: .untilCancelled).value
            try await client.writeAndFlush(ByteBuffer(string: "goodbye")).get()
          }
          await Task.yield()
          throw Stop()
        }
      }
      #expect(try String(buffer: received.end.futureResult.wait()) == "goodbye")
    }
  }

  @Test("The thread that has run a loop may wait for the loop's futures afterwards")
  func waiting() async throws {
    try await withThread {
      let (nio, closed) = try UV.EventLoop.run { loop in
        let server = try await UVServerBootstrap(group: loop.nio).bind(host: "127.0.0.1", port: 0).get()
        loop.stop()
        return (loop.nio, server.closeFuture)
      }
      guard !nio.inEventLoop else {
        Issue.record("the loop has ended, and still has the thread")
        return
      }
      try closed.wait()
      #expect(throws: EventLoopError.shutdown) {
        try nio.scheduleTask(in: .hours(1)) {}.futureResult.wait()
      }
      #expect(throws: EventLoopError.shutdown) { try nio.submit {}.wait() }
    }
  }

  @Test("After the end, the jobs of tasks and the callbacks of futures run one at a time")
  func oneAtATime() async throws {
    let log = Log<String>()
    let nio = try await withThread { UV.EventLoop.run { loop in loop.nio } }
    @Sendable func job() {
      log.append("job begins, on the loop: \(nio.inEventLoop)")
      onAnotherThread { nio.execute { log.append("callback, on the loop: \(nio.inEventLoop)") } }
      log.append("job ends")
    }
    await Task(executorPreference: nio.taskExecutor) { job() }.value
    await withCheckedContinuation { continuation in nio.execute { continuation.resume() } }
    #expect(
      log.values == ["job begins, on the loop: true", "job ends", "callback, on the loop: true"])
    #expect(!nio.inEventLoop)
  }

  @Test("What another thread brings while a loop is being taken down waits until the loop's thread has left")
  func takingDown() async throws {
    final class Last: Sendable {
      let nio: UVEventLoop
      let log: Log<String>
      init(_ nio: UVEventLoop, _ log: Log<String>) { (self.nio, self.log) = (nio, log) }
      // The loop drops this as one of the last things that it does.
      deinit {
        let (nio, log) = (nio, log)
        onAnotherThread { nio.execute { log.append("callback") } }
        log.append("end")
      }
    }
    let log = Log<String>()
    let lasts = LoopLocal { loop in Last(loop.nio, log) }
    try await withThread { UV.EventLoop.run { loop in _ = lasts[loop] } }
    #expect(log.values == ["end", "callback"])
  }

  @Test("A task that was begun in the turn in which its loop is asked to stop has its turn")
  func begunAtTheEnd() async throws {
    let log = Log<String>()
    try await withThread {
      try UV.EventLoop.runCallbacks { loop in
        let tasks = loop.nio.taskExecutor
        _ = loop.sleep(for: .zero) { _ in
          Task(executorPreference: tasks) { log.append("before") }
          loop.stop()
          Task(executorPreference: tasks) { log.append("after") }
        }
      }
    }
    #expect(log.values == ["before", "after"])
  }

  @Test("A channel that registers at an ended loop is closed, and its handlers get the reason")
  func registering() async throws {
    let log = Log<String>()
    try await withThread {
      let group = try UVEventLoopGroup(count: 1)
      try group.syncShutdownGracefully()
      let loop = group.next() as! UVEventLoop
      let channel = StreamChannel(try Socket(.inet), loop, parent: nil)
      let registered = loop.makePromise(of: Void.self)
      loop.execute {
        #expect(throws: Never.self) { try channel.pipeline.syncOperations.addHandler(Events(log)) }
        channel.register(promise: registered)
      }
      #expect(throws: EventLoopError.shutdown) { try registered.futureResult.wait() }
      try channel.closeFuture.wait()
    }
    #expect(log.values == ["error"])
  }

  @Test("A channel that nobody has registered by the time its loop ends is closed, and can't be registered")
  func unregistered() async throws {
    try await withThread {
      let group = try UVEventLoopGroup(count: 1)
      let loop = group.next() as! UVEventLoop
      let channel = StreamChannel(try Socket(.inet), loop, parent: nil)
      try group.syncShutdownGracefully()
      try channel.closeFuture.wait()
      #expect(throws: ChannelError.ioOnClosedChannel) { try channel.register().wait() }
    }
  }

  @Test("A connection whose initializer hasn't finished is closed when its group ends", arguments: [1, 2])
  func initializing(loops: Int) async throws {
    let others = try UVEventLoopGroup(count: 1)
    let initialized = others.next().makePromise(of: Void.self)
    try await withGroup(loops) { group in
      let begun = DispatchSemaphore(value: 0)
      let server = try UVServerBootstrap(group: group).childChannelInitializer { channel in
        begun.signal()
        return initialized.futureResult.hop(to: channel.eventLoop)
      }.bind(host: "127.0.0.1", port: 0).wait()
      _ = try connect(group, to: server)
      begun.wait()
    }
    initialized.succeed()
    try await others.shutdownGracefully()
  }
}

/// Runs `body` on a new thread, and waits until it has returned.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }.start()
  done.wait()
}
#endif
