import Foundation
import Testing
import UV
import UVTestSupport

/// What pipes, sockets, children and watchers do when their loop ends, and when there is no descriptor left.
@Suite(.serialized) struct HandleShutdownTests {
  @Test(.onTheMachine("a terminal")) func everythingPendingEndsOnceWithCancelled() async throws {
    let log = Log<String>()
    try await withTemporaryDirectory { directory in
      try await withThread {
        let loop = try EventLoop()
        func note(_ name: String, _ error: UVError?) { log.append("\(name) \(error?.name ?? "ok")") }
        let listener = try loop.pipes.listen(path: directory + "/listener")
        let udp = try loop.udp.bind(host: "127.0.0.1", port: 0)
        let (here, there) = try loop.pipes.socketPair(passesHandles: true)
        let watcher = try loop.poll(here.fileDescriptor(), for: .prioritized)
        let child = try loop.processes.spawn("sleep", ["1000"], stdio: [.pipe])
        let (control, descriptor) = try openPseudoTerminal()
        let terminal = try loop.tty(descriptor)
        loop.runCallbacks { loop in
          listener.accept { note("accept", $0.error) }
          udp.next { note("receive", $0.error) }
          // The last that happens by itself; everything else is pending then.
          there.next {
            note("read", $0.error)
            loop.stop()
          }
          here.write(Bytes(repeating: 1, count: 8 << 20), passing: udp) { note("write", $0.error) }
          // The first is under way; this one waits behind it.
          here.write("x", passing: listener) { note("pass", $0.error) }
          watcher.next { note("poll", $0.error) }
          child.exit { note("exit", $0.error) }
          terminal.next { note("tty", $0.error) }
        }
        there.stop()
        loop.shutdown()
        #expect(loop.statistics.isIdle)
        kill(child.processID, SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(child.processID, &status, 0) == child.processID)
        Foundation.close(control)
        Foundation.close(descriptor)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }
    let cancelled = ["accept", "exit", "pass", "poll", "receive", "tty", "write"].map { "\($0) ECANCELED" }
    #expect(log.values.sorted() == (cancelled + ["read ok"]).sorted())
  }

  @Test func whatIsAskedOfAClosedLoopFails() async throws {
    let log = Log<UVError.Code?>()
    try await withThread {
      let loop = try EventLoop()
      let udp = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try udp.localAddress()
      loop.shutdown()
      loop.pipes.connect(path: "/tmp/nowhere") { log.append($0.error?.code) }
      udp.send("x", to: address) { log.append($0.error?.code) }
      udp.next { log.append($0.error?.code) }
      #expect(log.values == Array(repeating: .loopClosed, count: 3))
      func refused(_ body: () throws(UVError) -> Void) {
        do throws(UVError) {
          try body()
          Issue.record("a closed loop did something")
        } catch {
          #expect(error.code == .loopClosed)
        }
      }
      refused { () throws(UVError) in _ = try loop.pipes.pair() }
      refused { () throws(UVError) in _ = try loop.pipes.listen(path: "/tmp/swift-uv-nowhere") }
      refused { () throws(UVError) in _ = try loop.udp.bind(port: 0) }
      refused { () throws(UVError) in _ = try loop.processes.spawn("true", stdio: [.pipe]) }
      refused { () throws(UVError) in _ = try loop.processes.spawn("true") }
      refused { () throws(UVError) in _ = try loop.poll(0, for: .readable) }
    }
  }

  @Test(.onTheMachine("a terminal")) func withoutADescriptorLeft() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (control, descriptor) = try openPseudoTerminal()
      let (here, there) = try loop.pipes.socketPair(passesHandles: true)
      try await here.write("x", passing: there).value
      _ = try await there.next().value
      // The lowest number that is free is the first that is not allowed.
      let lowest = dup(0)
      Foundation.close(lowest)
      let limit = DescriptorLimit.set(UInt64(lowest))
      var codes: [UVError.Code?] = []
      func attempt(_ body: () throws(UVError) -> Void) {
        do throws(UVError) {
          try body()
          codes.append(nil)
        } catch {
          codes.append(error.code)
        }
      }
      attempt { () throws(UVError) in _ = try loop.pipes.pair() }
      attempt { () throws(UVError) in _ = try loop.pipes.socketPair() }
      attempt { () throws(UVError) in _ = try loop.pipes.listen(path: directory + "/listener") }
      attempt { () throws(UVError) in _ = try loop.udp.bind(port: 0) }
      attempt { () throws(UVError) in _ = try loop.poll(control, for: .readable) }
      attempt { () throws(UVError) in _ = try loop.tty(descriptor) }
      attempt { () throws(UVError) in _ = try loop.processes.spawn("true", stdio: [.ignore, .pipe]) }
      attempt { () throws(UVError) in _ = try there.acceptFileDescriptor() }
      _ = DescriptorLimit.set(limit)
      #expect(codes == Array(repeating: .tooManyOpenFiles, count: 8))
      // What was passed has not been lost.
      Foundation.close(try there.acceptFileDescriptor())
      here.close()
      there.close()
      Foundation.close(control)
      Foundation.close(descriptor)
      while loop.statistics.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }

  @Test("A completion that a shutdown calls may spawn: the task is cancelled, and waited for")
  func spawnedDuringAShutdown() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        loop.sleep(for: .untilCancelled) { _ in
          loop.spawn {
            log.append("\(Task.isCancelled)")
            do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
              log.append(error.name)
            }
            loop.spawn { log.append("again") }
          }
        }
        loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
      }
    }
    #expect(log.values == ["true", "ECANCELED", "again"])
  }

  @Test(
    "Tasks that end at any point of a shutdown leave it whole", arguments: [1000, 16_500, 18_000, 20_300])
  func tasksThatEndDuringAShutdown(yields: Int) async throws {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      loop.spawn {
        for _ in 0..<yields { await Task.yield() }
        log.append(yields)
      }
      loop.shutdown()
    }
    #expect(log.values == [yields])
  }
}
