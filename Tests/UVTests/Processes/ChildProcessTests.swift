import Foundation
import Testing
import UV
import UVTestSupport

@Suite(.serialized) struct ChildProcessTests {
  /// Runs a shell script to its end, and returns what it wrote.
  private nonisolated(nonsending) func output(
    of script: String, _ loop: EventLoop, environment: [String: String]? = nil,
    workingDirectory: String? = nil, user: UInt32? = nil, group: UInt32? = nil, isDetached: Bool = false
  ) async throws(UVError) -> String {
    let child = try loop.processes.spawn(
      "/bin/sh", ["-c", script], environment: environment, workingDirectory: workingDirectory, user: user,
      group: group, isDetached: isDetached, stdio: [.ignore, .pipe, .pipe])
    var bytes: [UInt8] = []
    for try await chunk in child.standardOutput! { bytes += chunk }
    for try await chunk in child.standardError! { bytes += chunk }
    let status = try await child.exit().value
    #expect(status.isSuccess, "\(status)")
    return String(decoding: bytes, as: UTF8.self)
  }

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
      #expect(status == ChildProcess.ExitStatus(code: 0, signal: nil))
      #expect(child.exitStatus == status)
      // Whoever asks later is told too.
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
      await expectFailure(.noSuchProcess) { () async throws(UVError) in try killed.kill() }
      let other = try loop.processes.spawn("sleep", ["1000"])
      try loop.processes.kill(other.processID, .kill)
      #expect(try await other.exit().value.signal == .kill)
      await expectFailure(.noSuchProcess) { () async throws(UVError) in
        try loop.processes.kill(other.processID, Signal(rawValue: 0))
      }
      await expectFailure(.invalidArgument) { () async throws(UVError) in
        try loop.processes.kill(getpid(), Signal(rawValue: 1000))
      }
    }
  }

  @Test func argumentsEnvironmentAndDirectory() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let child = try loop.processes.spawn(
          "printf", ["%s|", "one", "", "two words", "é"], stdio: [.ignore, .pipe])
        #expect(try await child.standardOutput!.read().value == "one||two words|é|")
        #expect(try await child.exit().value.isSuccess)
        let variables = ["PATH": "/usr/bin:/bin", "GREETING": "hello = you"]
        #expect(
          try await output(of: "printf %s \"$GREETING$HOME\"", loop, environment: variables) == "hello = you")
        setenv("SWIFT_UV_TEST", "inherited", 1)
        #expect(try await output(of: "printf %s $SWIFT_UV_TEST", loop) == "inherited")
        unsetenv("SWIFT_UV_TEST")
        let path = try await loop.files.realpath(directory).value.string
        #expect(try await output(of: "pwd -P", loop, workingDirectory: directory) == path + "\n")
      }
    }
  }

  @Test func descriptors() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let file = Foundation.open(directory + "/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let child = try loop.processes.spawn(
          "/bin/sh", ["-c", "echo out; echo err >&2; echo three >&3; cat <&4 >&4"],
          stdio: [.ignore, .descriptor(file), .descriptor(file), .descriptor(file), .pipe])
        Foundation.close(file)
        try await child.stdio[4]!.write("through the fifth").value
        try await child.stdio[4]!.shutdown().value
        #expect(try await child.stdio[4]!.read().value == "through the fifth")
        #expect(try await child.exit().value.isSuccess)
        #expect(try await loop.files.readFile(directory + "/output").value == "out\nerr\nthree\n")
        // What is left out is the null device.
        let silent = try loop.processes.spawn("/bin/sh", ["-c", "cat; echo lost; echo lost >&2"])
        #expect(try await silent.exit().value.isSuccess)
      }
    }
  }

  #if os(Linux)
    @Test func nothingElseIsInherited() async throws {
      try await withTemporaryDirectory { directory in
        try await withPair { loop, client, server in
          // What the test runner, or Foundation, has left inheritable is not ours.
          let before = inheritable()
          for connection in [client, server] { #expect(before["\(try connection.fileDescriptor())"] == nil) }
          let file = try await loop.files.open("/etc/passwd").value
          let udp = try loop.udp.bind(port: 0)
          let listener = try loop.pipes.listen(path: directory + "/listener")
          let pair = try loop.pipes.socketPair(passesHandles: true)
          let pipe = try loop.pipes.pair()
          let watcher = try loop.poll(client.fileDescriptor(), for: .readable)
          try await pair.0.write("x", passing: client).value
          _ = try await pair.1.read().value
          let passed = try pair.1.acceptFileDescriptor()
          #expect(inheritable() == before)
          let listing = try await output(of: "ls -l /proc/self/fd", loop)
          // Its own standard output and error, and no file but the folder that it lists.
          let sockets = before.values.count { $0.hasPrefix("socket:") } + 2
          #expect(listing.split(separator: "\n").count { $0.contains("socket:") } == sockets, "\(listing)")
          #expect(!listing.contains("passwd"))
          Foundation.close(passed)
          try await file.close().value
          for handle in [udp, listener, pair.0, pair.1, pipe.reading, pipe.writing, watcher] as [Handle] {
            handle.close()
          }
        }
      }
    }

    /// The descriptors without close-on-exec, and what they refer to.
    private func inheritable() -> [String: String] {
      openDescriptors().filter { Int32($0.key)! > 2 && fcntl(Int32($0.key)!, F_GETFD) & FD_CLOEXEC == 0 }
    }

    @Test func aDetachedChildLeadsASession() async throws {
      try await withLoop { loop in
        for isDetached in [true, false] {
          let fields = try await output(of: "cat /proc/$$/stat", loop, isDetached: isDetached).split(
            separator: " ")
          #expect((fields[0] == fields[5]) == isDetached)
        }
        // Left to itself: the loop does not wait for it.
        let child = try loop.processes.spawn("sleep", ["1000"], isDetached: true)
        child.keepsLoopRunning = false
        #expect(child.isActive)
        try child.kill(.kill)
        #expect(try await child.exit().value.signal == .kill)
      }
    }
  #endif

  @Test func anotherUser() async throws {
    try await withLoop { loop in
      if getuid() == 0 {
        let numbers = try await output(of: "id -u; id -g", loop, user: 65534, group: 65533)
        #expect(numbers == "65534\n65533\n")
      } else {
        await expectFailure(.notPermitted) { () async throws(UVError) in
          try loop.processes.spawn("true", user: 0)
        }
      }
    }
  }

  @Test("A process that could not be started has a handle all the same, which is closed", .rule(9))
  func aFailedSpawnLeavesNothing() async throws {
    try await withLoop { loop in
      for _ in 0..<20 {
        await expectFailure(.noSuchFile) { () async throws(UVError) in
          try loop.processes.spawn("/nowhere/at/all", stdio: [.pipe, .channel, .inherit, .pipe])
        }
        await expectFailure(.noSuchFile) { () async throws(UVError) in
          try loop.processes.spawn("nowhere-at-all", stdio: [.pipe])
        }
        await expectFailure(.permissionDenied) { () async throws(UVError) in
          try loop.processes.spawn("/etc/passwd", stdio: [.pipe])
        }
        await expectFailure(.noSuchFile) { () async throws(UVError) in
          try loop.processes.spawn("true", workingDirectory: "/nowhere/at/all", stdio: [.pipe])
        }
        await expectFailure(.badDescriptor) { () async throws(UVError) in
          try loop.processes.spawn("true", stdio: [.pipe, .descriptor(12345)])
        }
        await expectFailure(.invalidArgument) { () async throws(UVError) in
          try loop.processes.spawn("true", stdio: [.pipe, .descriptor(-1)])
        }
      }
      while loop.activity.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }

  @Test func whatCCannotSayIsRefused() async throws {
    try await withLoop { loop in
      let processes = loop.processes
      await expectFailure(.invalidArgument) { () async throws(UVError) in try processes.spawn("tr\0ue") }
      await expectFailure(.invalidArgument) { () async throws(UVError) in
        try processes.spawn("true", ["a\0b"])
      }
      for environment in [["": "x"], ["A=B": "x"], ["A": "x\0y"], ["A\0B": "x"]] {
        await expectFailure(.invalidArgument) { () async throws(UVError) in
          try processes.spawn("true", environment: environment)
        }
      }
      await expectFailure(.invalidArgument) { () async throws(UVError) in
        try processes.spawn("true", workingDirectory: "/\0")
      }
      #expect(loop.activity.handles == 0)
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
      await expectFailure(.cancelled) { () async throws(UVError) in try await waiting.value }
      child.close()
      await expectFailure(.cancelled) { () async throws(UVError) in try await other.value }
      await expectFailure(.cancelled) { () async throws(UVError) in try await child.exit().value }
      await expectFailure(.badDescriptor) { () async throws(UVError) in try child.kill() }
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
        #expect(try await child.standardOutput!.read().value == nil)
      }
    }
  }
}
