#if Everything
import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// What a loop does as it leaves its host, step by step, and what it still does afterwards.
@Suite struct DepartureTests {
  /// What a task waits for that can't be cancelled.
  private final class Gate: @unchecked Sendable {
    // Sound: written on the host's thread, which is also the one that resumes.
    var continuation: UnsafeContinuation<Void, Never>?

    nonisolated(nonsending) func wait() async { await withUnsafeContinuation { continuation = $0 } }
  }

  @Test(arguments: [false, true])
  func `The shortest of several limits counts, and nothing waits for the others`(isShortFirst: Bool)
    async throws
  {
    let log = Log<String>()
    try await withThread {
      let (host, gate) = (Host(), Gate())
      let loop = try EventLoop(adopting: host.loop)
      loop.spawn { await gate.wait() }
      host.turn()
      var limits = [Duration.untilCancelled, .seconds(1000), .milliseconds(1)]
      if isShortFirst { limits.reverse() }
      for limit in limits { loop.detach(leavingTasksAfter: limit) { log.append("\($0.value ?? -1)") } }
      host.run()
      #expect(host.foreignHandles == 0 && host.close() == 0)
      gate.continuation!.resume()
    }
    #expect(log.values == ["1", "1", "1"])
  }

  @Test func `A task that an answer spawns while the loop leaves gets no more time than others`() async throws
  {
    let log = Log<String>()
    try await withThread {
      let (host, gate) = (Host(), Gate())
      let loop = try EventLoop(adopting: host.loop)
      loop.sleep(for: .untilCancelled) { _ in
        loop.spawn {
          log.append("begun")
          await gate.wait()
        }
      }
      loop.detach(leavingTasksAfter: .zero) { log.append("left \($0.value ?? -1)") }
      host.run()
      #expect(host.foreignHandles == 0 && host.close() == 0)
      gate.continuation?.resume()
    }
    #expect(log.values == ["begun", "left 1"])
  }

  /// A value of the loop's that hears of its end.
  private final class Local: LoopLocalObserver {
    let loop: EventLoop
    let log: Log<String>

    init(_ loop: EventLoop, _ log: Log<String>) { (self.loop, self.log) = (loop, log) }

    func loopEnds() {
      log.append("a value hears of it")
      loop.queueMicrotask { [log] in log.append("what the value queues") }
    }
  }

  /// Begins one of each kind.
  private static func begin(_ loop: EventLoop, _ log: Log<String>) throws {
    _ = LoopLocal { loop in Local(loop, log) }[loop]
    func note(_ kind: String, _ error: UVError?) { log.append("\(kind) \(error?.name ?? "ok")") }
    loop.sleep(for: .untilCancelled) { note("sleep", $0.error) }
    _ = loop.sleepQuietly(for: .untilCancelled) { note("quiet sleep", $0.error) }
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    listener.accept { note("accept", $0.error) }
    listener.close { note("close", $0.error) }
  }

  @Test func `A loop that leaves answers in the order of one that is shut down`() async throws {
    let (left, ended) = (Log<String>(), Log<String>())
    try await withThread {
      let host = Host()
      let adopted = try EventLoop(adopting: host.loop)
      try Self.begin(adopted, left)
      adopted.detach()
      host.run()
      #expect(host.close() == 0)
      let own = try EventLoop()
      try Self.begin(own, ended)
      own.shutdown()
    }
    #expect(left.values == ended.values)
    #expect(
      left.values.prefix(4) == [
        "a value hears of it", "what the value queues", "sleep ECANCELED", "quiet sleep ECANCELED",
      ])
  }

  @Test func `One more turn of the host suffices for what another thread has sent`() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      host.turn()
      let executor = loop.executor
      loop.detach { _ in log.append("left") }
      try executor.execute { loop in log.append("message \(EventLoop.current === loop)") }
      for _ in 0..<2 { host.turn() }
      #expect(host.foreignHandles == 0)
      #expect(host.close() == 0)
    }
    #expect(log.values == ["message true", "left"])
  }

  @Test func `A message that finds a loop whose last reference goes begins nothing there`() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      var loop: EventLoop? = try EventLoop(adopting: host.loop)
      let executor = loop!.executor
      host.turn()
      try executor.execute { loop in
        log.append("closed \(loop.isClosed)")
        loop.spawn { log.append("a task") }
        loop.sleep(for: .zero) { log.append("sleep \($0.error?.name ?? "ok")") }
        loop.queueMicrotask { log.append("microtask") }
      }
      try executor.execute { _ in log.append("second message") }
      loop = nil
      host.turn()
      #expect(host.foreignHandles == 0 && host.close() == 0)
    }
    #expect(log.values.first == "closed true")
    #expect(log.values.dropFirst().sorted() == ["microtask", "second message", "sleep ELOOPCLOSED"])
  }

  @Test func `A loop that has left asks nothing of the host's, whose memory may be another's`() async throws {
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      try loop.configure(.lag)
      loop.detach()
      host.run()
      #expect(host.close() == 0)
      let size = MemoryLayout<uv_loop_t>.size
      memset(host.loop, 0xAB, size)
      #expect(loop.backendTimeout == .zero && loop.backendFD == -1)
      #expect(!loop.isAlive && !loop.isRunning && loop.isClosed)
      #expect(loop.now <= .now)
      loop.updateTime()
      loop.stop()
      #expect(loop.statistics.isIdle && loop.statistics.idleTime == .zero)
      #expect(loop.snapshot().handles.count == 0 && loop.census().listeners == 0 && loop.handles.isEmpty)
      #expect(loop.lag == LoopLag())
      loop.shutdown()
      loop.detach()
      let bytes = UnsafeRawBufferPointer(start: host.loop, count: size)
      #expect(bytes.allSatisfy { $0 == 0xAB })
    }
  }

  @Test func `To let go of an adopted loop on another thread stops the program with a sentence`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let host = Host()
      let held = Box<EventLoop>(try EventLoop(adopting: host.loop))
      await withCheckedContinuation { continuation in
        Thread {
          held.value = nil
          continuation.resume()
        }.start()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("an adopted loop is let go of on the thread that runs it"), "\(text)")
  }

  // MARK: An observer

  private final class Observer: TurnObserver {
    let turn = UnsafeMutablePointer<cuv_turn>.allocate(capacity: 1)
    let places = UnsafeMutablePointer<cuv_task_places>.allocate(capacity: 1)
    var numbers: [UInt64] = []

    init() {
      turn.initialize(to: cuv_turn())
      places.initialize(to: cuv_task_places())
    }

    deinit {
      turn.deallocate()
      places.deallocate()
    }

    func bind() {}
    func leave() {}
    func stop() {}
  }

  @Test func `A turn in which the host's callbacks alone are called is seen while they run`() async throws {
    try await withThread {
      let (host, observer) = (Host(), Observer())
      let loop = try EventLoop(adopting: host.loop)
      loop.observeTurns(observer)
      let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
      uv_timer_init(host.loop, timer)
      timer.pointee.data = Unmanaged.passUnretained(observer).toOpaque()
      uv_timer_start(
        timer,
        { timer in
          let observer = Unmanaged<Observer>.fromOpaque(timer!.pointee.data).takeUnretainedValue()
          observer.numbers.append(observer.turn.pointee.start == 0 ? 0 : observer.turn.pointee.number)
          if observer.numbers.count == 5 { uv_timer_stop(timer) }
        }, 1, 1)
      host.run()
      // Where its time has come by then, the timer is called once before there is a turn.
      let seen = observer.numbers.drop { $0 == 0 }
      #expect(seen.count >= 4 && zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(observer.numbers)")
      uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) { $0?.deallocate() }
      loop.detach()
      host.run()
      #expect(host.close() == 0)
    }
  }
}
#endif
