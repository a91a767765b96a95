import Foundation
import Testing
import UV
import UVTestSupport

/// They run in a simulation as well, with programs of its own.
@Suite(.serialized) struct ChildProcessTests {
  @Test func bytesGoThroughAChild() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("cat", stdio: [.pipe, .pipe])
      #expect(child.processID > 0)
      #expect(child.standardError == nil)
      #expect(child.exitStatus == nil)
      let bytes = Bytes((0..<(1 << 18)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      let writer = loop.spawn { () async throws(UVError) in
        try await child.standardInput!.write(bytes).value
        try await child.standardInput!.shutdown().value
      }
      var received: [UInt8] = []
      for try await chunk in child.standardOutput! { received += chunk }
      #expect(Bytes(received) == bytes)
      try await writer.value
      let status = try await child.exit().value
      #expect(status.code == 0 && status.signal == nil)
      #expect(child.exitStatus == status)
      // A caller that asks later gets it, too.
      #expect(try await child.exit().value == status)
    }
  }

  @Test func anExitStatusAndASignal() async throws {
    try await withLoop { loop in
      let three = try loop.processes.spawn("/bin/sh", ["-c", "exit 3"])
      let status = try await three.exit().value
      #expect((status.code, status.signal, status.isSuccess) == (3, nil, false))
      let killed = try loop.processes.spawn("sleep", ["1000"])
      try loop.processes.kill(killed.processID, Signal(rawValue: 0))
      try killed.kill()
      let end = try await killed.exit().value
      #expect((end.code, end.signal, end.isSuccess) == (0, .terminate, false))
      await expectError(.noSuchProcess, of: try killed.kill())
      let other = try loop.processes.spawn("sleep", ["1000"])
      try loop.processes.kill(other.processID, .kill)
      #expect(try await other.exit().value.signal == .kill)
      await expectError(.noSuchProcess, of: try loop.processes.kill(other.processID, Signal(rawValue: 0)))
      await expectError(.invalidArgument, of: try loop.processes.kill(getpid(), Signal(rawValue: 1000)))
    }
  }

  @Test("A process that could not be started has a handle all the same, which is closed", .rule(9))
  func aFailedSpawnLeavesNothing() async throws {
    try await withLoop { loop in
      for _ in 0..<20 {
        await expectError(
          .noSuchFile,
          of: try loop.processes.spawn("/nowhere/at/all", stdio: [.pipe, .channel, .inherit, .pipe]))
        await expectError(.noSuchFile, of: try loop.processes.spawn("nowhere-at-all", stdio: [.pipe]))
        await expectError(.permissionDenied, of: try loop.processes.spawn("/etc/passwd", stdio: [.pipe]))
        await expectError(
          .noSuchFile,
          of: try loop.processes.spawn("true", workingDirectory: "/nowhere/at/all", stdio: [.pipe]))
        await expectError(
          .badDescriptor, of: try loop.processes.spawn("true", stdio: [.pipe, .descriptor(12345)]))
        await expectError(
          .invalidArgument, of: try loop.processes.spawn("true", stdio: [.pipe, .descriptor(-1)]))
      }
      while loop.statistics.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }

  @Test func whatCCannotSayIsRefused() async throws {
    try await withLoop { loop in
      let processes = loop.processes
      await expectError(.invalidArgument, of: try processes.spawn("tr\0ue"))
      await expectError(.invalidArgument, of: try processes.spawn("true", ["a\0b"]))
      for environment in [["": "x"], ["A=B": "x"], ["A": "x\0y"], ["A\0B": "x"]] {
        await expectError(.invalidArgument, of: try processes.spawn("true", environment: environment))
      }
      await expectError(.invalidArgument, of: try processes.spawn("true", workingDirectory: "/\0"))
      #expect(loop.statistics.handles == 0)
    }
  }

  @Test func aCancelledWaitAndAnEarlyClose() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("sleep", ["1000"], stdio: [.pipe])
      let pid = child.processID
      let waiting = loop.spawn { () async throws(UVError) in try await child.exit().value }
      let other = loop.spawn { () async throws(UVError) in try await child.exit().value }
      try await loop.sleep(for: .zero).value
      waiting.cancel()
      await expectError(.cancelled, of: try await waiting.value)
      child.close()
      await expectError(.cancelled, of: try await other.value)
      await expectError(.cancelled, of: try await child.exit().value)
      await expectError(.badDescriptor, of: try child.kill())
      // The loop has lost sight of it, so it is ours to end.
      try loop.processes.kill(pid, .kill)
      var status: Int32 = 0
      #expect(waitpid(pid, &status, 0) == pid)
    }
  }

  @Test func aThreadThatBlocksItsSignalsIsToldOfAnEnd() async throws {
    try await withThread {
      var (all, before) = (sigset_t(), sigset_t())
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, &before)
      let status = try EventLoop.runCallbacks { loop in
        let child = try loop.processes.spawn("true")
        var now = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &now)
        #expect(sigismember(&now, SIGCHLD) == 0)
        #expect(sigismember(&now, SIGTERM) == 1)
        return child
      }.exitStatus
      #expect(status?.isSuccess == true)
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
  }

  @Test func aChildThatNobodyHoldsIsWaitedFor() async throws {
    let log = Log<Int?>()
    try await withCallbackLoop { loop in
      _ = try loop.processes.spawn("/bin/sh", ["-c", "exit 5"]).exit { log.append(try? $0.get().code) }
      for _ in 0..<10 { _ = try loop.processes.spawn("true") }
    }
    #expect(log.values == [5])
  }

  @Test func manyChildrenAtOnce() async throws {
    try await withLoop { loop in
      let children = try (0..<30).map { number in
        try loop.processes.spawn("/bin/sh", ["-c", "exit \(number)"], stdio: [.ignore, .pipe])
      }
      for (number, child) in children.enumerated() {
        #expect(try await child.exit().value.code == number)
        #expect(try await child.standardOutput!.next().value == nil)
      }
    }
  }
}
