#if Everything
import CUV
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// A loop that leaves a host in which not everything ends.
@Suite struct LeavingTests {
  /// Resumes a task that waits for it and for nothing else, from any thread.
  private final class Gate: @unchecked Sendable {
    // Sound: written before the thread that resumes is begun.
    var continuation: UnsafeContinuation<Void, Never>?
  }

  @Test func `A task that ignores its cancellation is left after a time, and may wake later`() async throws {
    let gate = Gate()
    let log = Log<String>()
    let freed = Log<String>()
    final class Token {
      let freed: Log<String>
      init(_ freed: Log<String>) { self.freed = freed }
      deinit { freed.append("freed") }
    }
    try await withThread {
      let host = Host()
      var loop: EventLoop? = try EventLoop(adopting: host.loop)
      let token = Token(freed)
      loop!.spawn { [loop = loop!] in
        let connection = try? loop.udp.bind(host: "127.0.0.1", port: 0)
        await withUnsafeContinuation { gate.continuation = $0 }
        // On another thread, without the host.
        log.append("woken \(Task.isCancelled)")
        do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
          log.append(error.name)
        }
        loop.files.stat("/") { log.append("stat \($0.error?.name ?? "ok")") }
        _ = try? await connection?.next().value
        connection?.close()
        withExtendedLifetime(token) {}
      }
      // One that hears of it isn't left.
      loop!.spawn { _ = try? await loop!.sleep(for: .untilCancelled).value }
      host.turn()
      loop!.detach(leavingTasksAfter: .milliseconds(20)) { log.append("left \((try? $0.get()) ?? -1)") }
      loop = nil
      host.run()
      #expect(log.values == ["left 1"])
      #expect(host.close() == 0)
    }
    #expect(freed.values == [])
    try await withThread { gate.continuation!.resume() }
    while freed.values.isEmpty { await Task.yield() }
    #expect(log.values == ["left 1", "woken true", "ECANCELED", "stat ELOOPCLOSED"])
  }

  /// A host asks only libuv how long it may wait.
  @Test(arguments: [false, true])
  func `Tasks of no actor go on in a host, and have their turn when the loop leaves`(isPolled: Bool)
    async throws
  {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      let tasks = LoopTaskExecutor(loop.executor)
      loop.sleep(for: .milliseconds(2)) { _ in
        Task(executorPreference: tasks) {
          // More often than one turn lets it.
          for _ in 0..<100 { await Task.yield() }
          log.append("gone on")
        }
      }
      if isPolled { host.runByPolling() } else { host.run() }
      #expect(log.values == ["gone on"])
      Task(executorPreference: tasks) { log.append("left") }
      loop.detach()
      host.run()
      #expect(log.values == ["gone on", "left"])
      #expect(host.close() == 0)
      withExtendedLifetime(tasks) {}
    }
  }

  @Test func `A body that another thread has sent is answered when the loop goes without it`() async throws {
    let gate = Gate()
    let log = Log<String>()
    try await withThread {
      let host = Host()
      var loop: EventLoop? = try EventLoop(adopting: host.loop)
      let executor = loop!.executor
      // The host's loop only turns while there is something to do.
      loop!.spawn { [loop = loop!] in _ = try? await loop.sleep(for: .untilCancelled).value }
      Task.detached {
        do {
          try await executor.run { _ in await withUnsafeContinuation { gate.continuation = $0 } }
          log.append("ended")
        } catch { log.append("\((error as? UVError)?.code == .loopClosed)") }
      }
      while gate.continuation == nil { host.turn() }
      loop!.detach(leavingTasksAfter: .zero)
      loop = nil
      host.run()
      while log.values.isEmpty { usleep(1000) }
      #expect(host.close() == 0)
      gate.continuation!.resume()
    }
    #expect(log.values == ["true"])
  }

  @Test func `A detach that may leave tasks waits for none that ends in time`() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      let start = ContinuousClock.now
      loop.spawn { _ = try? await loop.sleep(for: .untilCancelled).value }
      host.turn()
      loop.detach(leavingTasksAfter: .seconds(1000)) { log.append("left \((try? $0.get()) ?? -1)") }
      host.run()
      #expect(start.duration(to: .now) < .seconds(500))
      // Afterwards there is nothing to leave.
      loop.detach(leavingTasksAfter: .zero) { log.append("again \((try? $0.get()) ?? -1)") }
      let task = loop.spawn { log.append("never") }
      #expect(task.resultIfFinished == nil)
      #expect(host.close() == 0)
    }
    #expect(log.values == ["left 0", "again 0"])
  }

  @Test("A task that keeps no loop running lets the host's run return, and goes on in the next")
  func aTaskThatKeepsNoLoopRunning() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.keepsLoopRunning = false
      let server = loop.spawn {
        do { for try await connection in listener { connection.close(); log.append("served") } } catch {}
        log.append("end")
      }
      #expect(server.keepsLoopRunning)
      server.keepsLoopRunning = false
      host.run()
      #expect(log.values == [])
      let client = loop.spawn { () async throws(UVError) in
        let connection = try await loop.tcp.connect(to: listener.localAddress()).value
        _ = try? await connection.next().value
        connection.close()
      }
      host.run()
      #expect(log.values == ["served"])
      #expect(client.resultIfFinished != nil)
      #expect(!client.keepsLoopRunning)
      // And keeps it again.
      server.keepsLoopRunning = true
      loop.sleep(for: .milliseconds(1)) { _ in listener.close() }
      host.run()
      #expect(log.values == ["served", "end"])
      loop.detach()
      host.run()
      #expect(host.close() == 0)
    }
  }

  @Test("A run ends though a task waits that keeps no loop running; stop() and shutdown() wait for it")
  func onALoopOfOnesOwn() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      loop.runCallbacks { loop in
        loop.spawn {
          guard let signals = try? loop.signals(.user1) else { return }
          signals.keepsLoopRunning = false
          do throws(UVError) { _ = try await signals.next().value } catch { log.append(error.name) }
        }.keepsLoopRunning = false
        let timer = try? LoopTimer(loop)
        try? timer?.start(after: .milliseconds(1)) { log.append("fired") }
      }
      loop.shutdown()
    }
    #expect(log.values == ["fired", "ECANCELED"])
  }

  @Test("A task that was left keeps no loop running, whatever its property says", arguments: [false, true])
  func aLeftTaskIsToldToKeepTheLoop(isToKeep: Bool) async throws {
    let gate = Gate()
    let log = Log<String>()
    try await withThread {
      let host = Host()
      var loop: EventLoop? = try EventLoop(adopting: host.loop)
      let task = loop!.spawn {
        await withUnsafeContinuation { gate.continuation = $0 }
        log.append("woken")
      }
      while gate.continuation == nil { host.turn() }
      loop!.detach(leavingTasksAfter: .zero) { _ in
        task.keepsLoopRunning = isToKeep
        log.append("left, keeps: \(task.keepsLoopRunning)")
      }
      loop = nil
      host.run()
      task.keepsLoopRunning = !isToKeep
      #expect(!task.keepsLoopRunning)
      #expect(host.close() == 0)
      gate.continuation!.resume()
      while log.values.count < 2 { usleep(1000) }
      #expect(!task.keepsLoopRunning)
    }
    #expect(log.values == ["left, keeps: false", "woken"])
  }

  @Test("A task that a run has left keeps no later run, and goes on in it", arguments: [false, true])
  func aTaskThatARunHasLeft(isToKeep: Bool) async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let (future, resolver) = Future<Int, Never>.pending(on: loop)
      let task = loop.runCallbacks { loop in
        let task = loop.spawn { log.append("\(await future.value)") }
        loop.sleep(for: .zero) { _ in loop.stop() }
        return task
      }
      #expect(task.resultIfFinished == nil && !task.keepsLoopRunning)
      task.keepsLoopRunning = isToKeep
      #expect(!task.keepsLoopRunning)
      loop.runCallbacks { loop in loop.sleep(for: .zero) { _ in resolver(.success(1)) } }
      #expect(log.values == ["1"])
      task.keepsLoopRunning = !isToKeep
      loop.shutdown()
    }
  }

  #if os(Linux)
  /// What waits without anything to wait for takes a whole processor.
  @Test("A loop that ends sleeps until its task has ended, even if that keeps no loop running by then")
  func aTaskThatIsToldMeanwhile() async throws {
    let gate = Gate()
    let slept = Log<Bool>()
    try await withThread {
      let loop = try EventLoop()
      let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let status = "/proc/\(thread)/stat"
      loop.runCallbacks { loop in
        let task = loop.spawn { await withUnsafeContinuation { gate.continuation = $0 } }
        loop.sleep(for: .zero) { _ in
          loop.stop()
          task.keepsLoopRunning = false
          Thread {
            let end = ContinuousClock.now + .seconds(10)
            func sleeps() -> Bool {
              (try? String(contentsOfFile: status, encoding: .utf8))?.contains(") S ") == true
            }
            while !sleeps(), .now < end { usleep(1000) }
            slept.append(sleeps())
            gate.continuation!.resume()
          }.start()
        }
      }
      loop.shutdown()
    }
    #expect(slept.values == [true])
  }

  @Test func `A loop that another libuv has made is refused, with a sentence`() async throws {
    var place = cuv_place()
    #expect(cuv_find_place(try #require(dlsym(nil, "uv_version_string")), &place) != 0)
    let library = String(cString: place.file)
    try await withTemporaryDirectory { directory in
      let copy = "\(directory)/other.so"
      try FileManager.default.copyItem(
        at: URL(fileURLWithPath: library).resolvingSymlinksInPath(), to: URL(fileURLWithPath: copy))
      let other = try #require(dlopen(copy, RTLD_NOW | RTLD_LOCAL))
      typealias Initialize = @convention(c) (UnsafeMutablePointer<uv_loop_t>) -> Int32
      let initialize = unsafeBitCast(try #require(dlsym(other, "uv_loop_init")), to: Initialize.self)
      let close = unsafeBitCast(try #require(dlsym(other, "uv_loop_close")), to: Initialize.self)
      try await withThread {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        defer { loop.deallocate() }
        #expect(initialize(loop) == 0)
        #expect(!EventLoop.isOwnLibuv(loop))
        // The library knows its own by now, and needs no descriptor to find out.
        #expect(!DescriptorLimit.reached { EventLoop.isOwnLibuv(loop) })
        let error = #expect(throws: UVError.self) { try EventLoop(adopting: loop) }
        #expect(error?.code == .foreignLibuv)
        #expect(error?.message.contains("another libuv") == true)
        #expect(close(loop) == 0)
        let host = Host()
        #expect(EventLoop.isOwnLibuv(host.loop))
        #expect(host.close() == 0)
      }
    }
  }
  #endif
}
#endif
