#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// What a child begins with that borrows this process's memory until its program runs.
@Suite(.serialized) struct ChildStartTests {
  private nonisolated(nonsending) func output(
    of script: String, _ loop: EventLoop, stdio: [ChildProcess.Stdio] = [.ignore, .pipe]
  ) async throws(UVError) -> String {
    let child = try loop.processes.spawn("/bin/sh", ["-c", script], stdio: stdio)
    let text = try await child.stdio.last!!.readToEnd(limit: 1 << 16).value
    #expect(try await child.exit().value.isSuccess)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `Starting a child doesn't copy this process's memory`() async throws {
    try await withLoop { loop in
      let (size, page) = (64 << 20, 4096)
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
      defer { munmap(memory, size) }
      madvise(memory, size, MADV_NOHUGEPAGE)
      memset(memory, 1, size)
      let child = try loop.processes.spawn("sleep", ["1000"])
      // 1 is the calling thread alone.
      var (before, after) = (rusage(), rusage())
      getrusage(1, &before)
      // After a fork each page that is written to is copied, while the child has it.
      memset(memory, 2, size)
      getrusage(1, &after)
      #expect(after.ru_minflt - before.ru_minflt < size / page / 2)
      try child.kill()
      #expect(try await child.exit().value.signal == .terminate)
    }
  }

  @Test("A child has no signal blocked or ignored, and a thread that starts one blocks what it blocked")
  func signals() async throws {
    let ignored = signal(SIGUSR2, SIG_IGN)
    defer { signal(SIGUSR2, ignored) }
    try await withThread {
      var (set, before, after) = (sigset_t(), sigset_t(), sigset_t())
      sigemptyset(&set)
      sigaddset(&set, SIGHUP)
      pthread_sigmask(SIG_BLOCK, &set, &before)
      let text = try EventLoop.run { loop in
        try await self.output(of: "exec grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status", loop)
      }
      pthread_sigmask(SIG_SETMASK, &before, &after)
      #expect(sigismember(&after, SIGHUP) == 1)
      #expect(sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM))
      for line in text.split(separator: "\n") {
        let bits = try #require(UInt64(line.split(separator: "\t").last!, radix: 16))
        // The C library has two of its own above.
        let expected: UInt64 = line.hasPrefix("SigCgt") ? bits & (1 << UInt64(SIGSEGV - 1)) : 0
        #expect(bits & 0x7fff_ffff == expected, "\(line)")
      }
      #expect(text.split(separator: "\n").count == 3)
    }
  }

  /// A signal's handler writes to these.
  private nonisolated(unsafe) static var ownProcess: pid_t = 0
  private nonisolated(unsafe) static var callsElsewhere = 0

  @Test func `No handler of this process runs in a child, not even one of a real-time signal`() async {
    await #expect(processExitsWith: .success) {
      (ChildStartTests.ownProcess, ChildStartTests.callsElsewhere) = (getpid(), 0)
      // All processes of the group get the signal again and again, while a child looks for its program.
      setpgid(0, 0)
      signal(40) { _ in if getpid() != ChildStartTests.ownProcess { ChildStartTests.callsElsewhere += 1 } }
      Thread {
        var set = sigset_t()
        sigfillset(&set)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        while true {
          kill(0, 40)
          usleep(100)
        }
      }.start()
      let path = String(repeating: "/nowhere/at/all:", count: 2000)
      try EventLoop.run { loop in
        for _ in 0..<50 { _ = try? loop.processes.spawn("nothing", environment: ["PATH": path]) }
      }
      exit(ChildStartTests.callsElsewhere == 0 ? 0 : 1)
    }
  }

  @Test("A child that is another user's hasn't had this process's memory, which can be dumped as before")
  func anotherUsersChild() async throws {
    guard getuid() == 0 else { return }
    // `prctl` has a variable number of arguments, which Swift doesn't import.
    typealias Call = @convention(c) (CInt) -> CInt
    let prctl = unsafeBitCast(dlsym(nil, "prctl"), to: Call.self)
    let isDumpable: CInt = 3
    try await withLoop { loop in
      let before = prctl(isDumpable)
      for (user, group) in [(UInt32(65534), UInt32?.none), (65534, 65533)] {
        let child = try loop.processes.spawn("true", user: user, group: group)
        #expect(try await child.exit().value.isSuccess)
      }
      #expect(before == 1 && prctl(isDumpable) == before)
    }
  }

  @Test("Descriptors that trade places, and one that is given twice, come where they belong")
  func tradedDescriptors() async throws {
    try await withLoop { loop in
      let own = try (0...2).map {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      let script = "for i in 0 1 2 3 4; do x=$(readlink /proc/$$/fd/$i); echo $x >&5; done"
      let text = try await output(
        of: script, loop,
        stdio: [
          .descriptor(2), .descriptor(0), .descriptor(1), .descriptor(0), .descriptor(0), .pipe,
        ])
      let expected = [2, 0, 1, 0, 0].map { own[$0] }
      #expect(text.split(separator: "\n").map(String.init) == expected)
    }
  }

  @Test("A script without an interpreter's name is the shell's; PATH is the child's, in its order")
  func search() async throws {
    try await withLoopAndDirectory { loop, directory in
      for (folder, mode) in [("first", 0o600), ("second", 0o700), ("third", 0o700)] {
        let path = directory + "/" + folder
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("echo \(folder) $1 $2 $0".utf8).write(to: URL(fileURLWithPath: path + "/tool"))
        chmod(path + "/tool", mode_t(mode))
      }
      func run(_ program: String, _ path: String, in folder: String? = nil) async throws -> Bytes {
        try await loop.processes.run(
          program, ["a b", "c"], environment: ["PATH": path], workingDirectory: folder
        ).value.standardOutput
      }
      let path = "\(directory)/none:\(directory)/first:\(directory)/second:\(directory)/third"
      #expect(try await run("tool", path) == Bytes("second a b c \(directory)/second/tool\n".utf8))
      // An empty part is the working directory.
      #expect(try await run("tool", "/nowhere:", in: directory + "/third") == "third a b c tool\n")
      for (part, code) in [
        ("first", UVError.Code.permissionDenied), ("none", .noSuchFile),
      ] {
        do {
          _ = try await run("tool", "\(directory)/\(part)")
          Issue.record("\(part) has no such program")
        } catch { #expect((error as? UVError)?.code == code) }
      }
    }
    try await withLoop { loop in
      await expectError(.nameTooLong, of: try loop.processes.spawn(String(repeating: "x", count: 300)))
      await expectError(.noSuchFile, of: try loop.processes.spawn(""))
    }
  }

  @Test func `A child that something else has waited for has ended, but nobody can say how`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("/bin/sh", ["-c", "exit 3"])
      var status: Int32 = 0
      #expect(waitpid(child.processID, &status, 0) == child.processID)
      for _ in 0..<2 {
        await expectError(.noSuchProcess, of: try await child.exit().value)
      }
      #expect(child.exitStatus == nil)
      await expectError(.noSuchProcess, of: try child.kill())
    }
  }

  @Test("A child that dies while it is traced keeps no loop busy, and ends when the tracer lets go")
  func traced() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("sleep", ["1000"])
      guard let tracer = Hooks.startTracer(of: child.processID) else {
        child.close()
        kill(child.processID, SIGKILL)
        waitpid(child.processID, nil, 0)
        return
      }
      try child.kill(.kill)
      // It is a zombie that the tracer hasn't waited for.
      let state = "/proc/\(child.processID)/stat"
      try await loop.settle {
        (try? String(contentsOfFile: state, encoding: .utf8).split(separator: " ")[2]) == "Z"
      }
      let before = Hooks.loopTurns
      try await loop.sleep(for: .milliseconds(500)).value
      // Other loops of the process turn, too.
      if let before, let after = Hooks.loopTurns { #expect(after - before < 1000) }
      #expect(child.exitStatus == nil)
      kill(tracer, SIGKILL)
      #expect(waitpid(tracer, nil, 0) == tracer)
      #expect(try await child.exit().value.signal == .kill)
    }
  }

  @Test func `A child whose end the process ignores is libuv's, and how it ended is known`() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      let status = try EventLoop.run { loop in
        try await loop.processes.spawn("/bin/sh", ["-c", "exit 3"]).exit().value
      }
      exit(status.code == 3 ? 0 : 1)
    }
  }

  @Test("A child is a process in a snapshot and in the list of handles, and its descriptor is its own")
  func watching() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("sleep", ["1000"])
      #expect(loop.handles.count { $0.type == .process && $0.isActive } == 1)
      let handle = try #require(loop.snapshot().handles.entries.first { $0.type == .process })
      #expect(handle.subject == "process \(child.processID)" && handle.keepsLoopRunning)
      let descriptor = try child.fileDescriptor()
      try child.kill()
      #expect(try await child.exit().value.signal == .terminate)
      #expect(!child.isActive)
      try await child.close().value
      #expect(fcntl(descriptor, F_GETFD) == -1)
    }
  }
}
#endif
