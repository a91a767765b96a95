#if Everything
import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// Work of each kind on an adopted loop: when nothing keeps the host's loop alive, all is done, however the host runs it.
@Suite struct HostedWorkTests {
  enum Work: CaseIterable {
    case gatheredWrites, gatheredInCompletion, writeBehindFullSocket, microtask, task, sleep,
      poolWork, file, close, datagram,
      frames, accept, signal
  }

  /// How the host runs its loop.
  enum Running: CaseIterable {
    case run, polling, turns

    func run(_ host: Host) {
      switch self {
      case .run: host.run()
      case .polling: host.runByPolling()
      case .turns:
        repeat { host.turn() } while uv_loop_alive(host.loop) != 0
      }
    }
  }

  /// Begins the work. What it logs when all is done.
  private static func begin(_ work: Work, _ loop: EventLoop, _ log: Log<String>) throws -> [String] {
    func note<T>(_ name: String) -> Completion<T> { { log.append("\(name) \($0.error?.name ?? "ok")") } }
    switch work {
    case .gatheredWrites, .gatheredInCompletion, .writeBehindFullSocket, .frames:
      let (near, far) = try loop.pipes.socketPair()
      let end: Completion<Void> = { result in
        log.append("last \(result.error?.name ?? "ok")")
        near.close()
        far.close()
      }
      switch work {
      case .gatheredWrites:
        near.write("a", note("a"))
        near.write("b", end)
        return ["a ok", "last ok"]
      case .gatheredInCompletion:
        near.write("a") { _ in
          near.write("b", note("b"))
          near.write("c", end)
        }
        return ["b ok", "last ok"]
      case .writeBehindFullSocket:
        near.write(Bytes(repeating: 1, count: 1 << 20), note("much"))
        near.write("x", note("x"))
        far.read(exactly: 1 << 20 + 1) { end($0.map { _ in }) }
        return ["last ok", "much ok", "x ok"]
      default:
        far.readLine(limit: 9, note("line"))
        far.read(exactly: 2) { _ in end(.success(())) }
        near.write("one\n") { _ in near.write("two") { _ in } }
        return ["last ok", "line ok"]
      }
    case .microtask:
      loop.queueMicrotask { loop.queueMicrotask { log.append("microtask") } }
      return ["microtask"]
    case .task:
      loop.spawn {
        try? await loop.sleep(for: .milliseconds(2)).value
        _ = try? await loop.files.stat("/").value
        log.append("task")
      }
      return ["task"]
    case .sleep:
      for milliseconds in [0, 1, 5] { loop.sleep(for: .milliseconds(milliseconds), note("\(milliseconds)")) }
      return ["0 ok", "1 ok", "5 ok"]
    case .poolWork:
      loop.work({ 1 }, note("work"))
      return ["work ok"]
    case .file:
      loop.files.stat("/", note("stat"))
      loop.files.readFile("/etc/passwd", note("read"))
      return ["read ok", "stat ok"]
    case .close:
      try loop.pipes.socketPair().0.close(note("close"))
      return ["close ok"]
    case .datagram:
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      socket.next { result in
        log.append("datagram \(result.error?.name ?? "ok")")
        socket.close()
      }
      socket.send("x", to: try socket.localAddress(), note("send"))
      return ["datagram ok", "send ok"]
    case .accept:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.accept { result in
        log.append("accept \(result.error?.name ?? "ok")")
        result.value?.close()
        listener.close()
      }
      loop.tcp.connect(to: try listener.localAddress()) { result in
        log.append("connect \(result.error?.name ?? "ok")")
        result.value?.close()
      }
      return ["accept ok", "connect ok"]
    case .signal:
      let signals = try loop.signals(.windowChange)
      signals.next { result in
        log.append("signal \(result.error?.name ?? "ok")")
        signals.close()
      }
      kill(getpid(), SIGWINCH)
      return ["signal ok"]
    }
  }

  @Test("When nothing keeps the host's loop alive, all is done", arguments: Work.allCases, Running.allCases)
  func done(work: Work, running: Running) async throws {
    let log = Log<String>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      // Twice: the loop comes to rest in between.
      for round in 1...2 {
        let expected = try Self.begin(work, loop, log)
        running.run(host)
        #expect(log.values.count == expected.count * round)
        #expect(log.values.suffix(expected.count).sorted() == expected)
        #expect(loop.statistics.handles == 0 && loop.statistics.requests == 0 && loop.statistics.tasks == 0)
      }
      #expect(uv_loop_alive(host.loop) == 0)
      loop.detach()
      running.run(host)
      #expect(host.foreignHandles == 0)
    }
  }

  @Test(
    "What is pending is answered once when the loop leaves, and then all fails", arguments: Work.allCases,
    [false, true])
  func detached(work: Work, leavesTasks: Bool) async throws {
    let log = Log<String>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      let expected = try Self.begin(work, loop, log)
      var ends: [String] = []
      if leavesTasks {
        loop.detach(leavingTasksAfter: .seconds(1000)) { ends.append("\($0.value ?? -1) left") }
      } else {
        loop.detach { ends.append($0.error?.name ?? "left") }
      }
      // To stop waiting stops nothing else.
      let pending = loop.detach { ends.append($0.error?.name ?? "left") }
      pending.cancel()
      loop.detach { ends.append($0.error?.name ?? "left") }
      host.run()
      #expect(ends.sorted() == [leavesTasks ? "0 left" : "left", "ECANCELED", "left"].sorted())
      #expect(host.foreignHandles == 0 && uv_loop_alive(host.loop) == 0)
      // Each once, with whatever outcome, except for what would have been begun later.
      let names = log.values.map { $0.split(separator: " ")[0] }
      #expect(Set(names).count == names.count && names.count <= expected.count)
      var code: UVError.Code?
      loop.sleep(for: .zero) { code = $0.error?.code }
      #expect(code == .loopClosed)
      #expect(throws: UVError.self) { try loop.tcp.listen(host: "127.0.0.1", port: 0) }
      #expect(throws: UVError(.loopClosed, operation: "execute")) { try loop.executor.execute { _ in } }
      // The host's loop can be adopted again.
      let next = try EventLoop(adopting: host.loop)
      var hasSlept = false
      next.sleep(for: .milliseconds(1)) { hasSlept = $0.error == nil }
      host.run()
      #expect(hasSlept)
      next.detach()
      host.run()
    }
  }
}
#endif
