import Foundation
import Testing
import UV
import UVTestSupport

/// Programs that are run to their ends, with what they write.
@Suite(.serialized) struct RunTests {
  @Test("A program's status, output and errors come together, whatever it does with its input")
  func results() async throws {
    try await withLoop { loop in
      let sorted = try await loop.processes.run("sort", ["-r"], input: "a\nb\n").value
      #expect(sorted.terminationStatus.isSuccess)
      #expect(sorted.standardOutput == "b\na\n" && sorted.standardError == "")
      #expect(sorted.processID > 0)
      let failed = try await loop.processes.run(
        "/bin/sh", ["-c", "echo $NAME; echo no >&2; pwd; exit 3"], environment: ["NAME": "value"],
        workingDirectory: "/"
      ).value
      #expect(failed.terminationStatus.code == 3 && failed.terminationStatus.signal == nil)
      #expect(failed.standardOutput == "value\n/\n" && failed.standardError == "no\n")
      let killed = try await loop.processes.run("/bin/sh", ["-c", "kill -9 $$"]).value
      #expect(killed.terminationStatus.signal == .kill)
      // A child without interest in its input, and one that waits for its end.
      let large = Bytes(repeating: 1, count: 1 << 20)
      #expect(try await loop.processes.run("true", input: large).value.terminationStatus.isSuccess)
      #expect(try await loop.processes.run("cat", input: large).value.standardOutput == large)
      #expect(try await loop.processes.run("cat").value.standardOutput == "")
    }
  }

  @Test func `Both outputs are read at the same time, so neither holds the program up`() async throws {
    try await withLoop { loop in
      let script = "for i in 1 2 3 4; do head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2; done"
      let result = try await loop.processes.run("/bin/sh", ["-c", script]).value
      #expect(result.standardOutput.count == 800_000 && result.standardError.count == 800_000)
    }
  }

  @Test("A program that writes too much is killed, and the error names the limit", arguments: [true, false])
  func limits(isError: Bool) async throws {
    try await withLoop { loop in
      let script = "echo $$; exec \(isError ? ">&2 " : "")yes"
      do throws(UVError) {
        _ = try await loop.processes.run(
          "/bin/sh", ["-c", script], outputLimit: isError ? 100 : 5000, errorLimit: 5000
        ).value
        Issue.record("not refused")
      } catch {
        #expect(error.code == .messageTooLong)
        #expect(error.subject == "standard \(isError ? "error" : "output") within 5000 bytes")
      }
      let exact = try await loop.processes.run("printf", ["12345"], outputLimit: 5, errorLimit: 0).value
      #expect(exact.standardOutput == "12345")
    }
  }

  /// How a request for a program ends that leaves another one running.
  enum Failure: CaseIterable {
    case deadline, cancellation, limit
  }

  @Test(
    "A program that is detached is killed with all that it has started, whether it has ended itself or not",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")), arguments: Failure.allCases,
    [true, false])
  func groups(failure: Failure, hasEnded: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/pid"
      // It has the output open, which `run` waits for.
      let script = "sleep 1000 & echo $! >\(path).new; mv \(path).new \(path); \(hasEnded ? "exit" : "wait")"
      let noisy = "\(script.replacing("sleep 1000", with: "(sleep 0.1; yes)"))"
      try await withLoop { loop in
        let log = Log<UVError.Code?>()
        let pending = loop.processes.run(
          "/bin/sh", ["-c", failure == .limit ? noisy : script], isDetached: true, outputLimit: 1000
        ).timeout(after: failure == .deadline ? .milliseconds(300) : .seconds(1000)).start {
          log.append($0.error?.code)
        }
        try await loop.until { FileManager.default.fileExists(atPath: path) }
        if failure == .cancellation { pending.cancel() }
        try await loop.until { !log.values.isEmpty }
        #expect(
          log.values == [failure == .limit ? .messageTooLong : failure == .deadline ? .timedOut : .cancelled])
      }
      let id = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
      try await withLoop { loop in try await loop.until { !Self.isRunning(id) } }
    }
  }

  @Test(
    "The end of the loop kills a detached program with all that it has started", arguments: [true, false])
  func groupsAtTheEnd(hasEnded: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/pid"
      try await withThread {
        try EventLoop.run { loop in
          let script =
            "sleep 1000 & echo $! >\(path).new; mv \(path).new \(path); \(hasEnded ? "exit" : "wait")"
          loop.processes.run("/bin/sh", ["-c", script], isDetached: true).start { _ in }
          try await loop.until { FileManager.default.fileExists(atPath: path) }
          loop.stop()
        }
      }
      let id = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
      try await withLoop { loop in try await loop.until { !Self.isRunning(id) } }
    }
  }

  @Test func `What a detached program leaves goes on if it succeeds`() async throws {
    try await withLoop { loop in
      let script = "sleep 1000 >/dev/null 2>&1 & echo $!"
      let result = try await loop.processes.run("/bin/sh", ["-c", script], isDetached: true).value
      let id = try #require("\(result.standardOutput)".split(separator: "\n").first.flatMap { Int32($0) })
      try loop.processes.kill(id, .kill)
    }
  }

  /// Whether a process runs. One that has ended stays until its parent has waited for it, which may be never.
  private static func isRunning(_ id: String) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
    return status.split(separator: ") ").last?.first.map { !"ZX".contains($0) } ?? false
  }

  @Test func `A program is killed at its deadline, and when its caller is cancelled`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/pid"
      for isDeadline in [true, false] {
        let sleeping = loop.processes.run("/bin/sh", ["-c", "echo $$ > \(path); exec sleep 1000"])
        let task = loop.spawn { () async throws(UVError) in
          _ = try await (isDeadline ? sleeping.timeout(after: .milliseconds(300)) : sleeping).value
        }
        var identifier: Int32?
        try await loop.settle {
          identifier = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { Int32($0.dropLast()) }
          return identifier != nil
        }
        if !isDeadline { task.cancel() }
        await expectError(isDeadline ? .timedOut : .cancelled, of: try await task.value)
        try await loop.settle(untilGone: try #require(identifier))
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  @Test(
    "The end of the loop kills a program that is run, by a task or by a callback", arguments: [true, false])
  func endOfLoop(byTask: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/pid"
      try await withThread {
        try EventLoop.run { loop in
          let sleeping = loop.processes.run("/bin/sh", ["-c", "echo $$ > \(path); exec sleep 1000"])
          if byTask { loop.spawn { _ = try? await sleeping.value } } else { sleeping.start { _ in } }
          try await loop.settle {
            (try? String(contentsOfFile: path, encoding: .utf8))?.hasSuffix("\n") == true
          }
          loop.stop()
        }
      }
      let identifier = try #require(Int32(try String(contentsOfFile: path, encoding: .utf8).dropLast()))
      // Unless the loop has still waited for it, nobody else does, and exit tests would see it again and again.
      var status: Int32 = 0
      if waitpid(identifier, &status, 0) == identifier {
        #expect(status == SIGKILL)
      } else {
        #expect(errno == ECHILD && kill(identifier, 0) == -1 && errno == ESRCH)
      }
    }
  }

  @Test func `A program that can't begin is an error, and misuse too`() async throws {
    try await withLoop { loop in
      await expectError(.noSuchFile, of: try await loop.processes.run("/no/such/program").value)
      await expectError(.invalidArgument, of: try await loop.processes.run("true", ["a\0b"]).value)
      await expectError(
        .invalidArgument, of: try await loop.processes.run("sleep", ["1000"], outputLimit: -1).value)
    }
  }

  @Test(
    "A child's result waits for what has its pipes open, and an outsider's reading goes on after a cancel")
  func childResult() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "(read line; echo $line) <&3 & echo first"],
        stdio: [.ignore, .pipe, .ignore, .pipe])
      let status = try await child.exit().value
      #expect(status.isSuccess)
      let waiting = loop.spawn { () async throws(UVError) in try await child.result().value }
      try await loop.settle { child.standardOutput!.unreadByteCount == 6 }
      waiting.cancel()
      await expectError(.cancelled, of: try await waiting.value)
      try await child.stdio[3]!.write("second\n").value
      let result = try await child.result().value
      #expect(result.standardOutput == "first\nsecond\n" && result.standardError == "")
      // It can be asked for again: nothing is left to read.
      #expect(try await child.result().value.standardOutput == "")
      child.stdio[3]!.close()
    }
  }

  @Test func `A child without pipes has a result, too; one that is closed has none`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("true")
      let result = try await child.result().value
      #expect(result.processID == child.processID && result.terminationStatus.isSuccess)
      #expect(result.standardOutput.isEmpty && result.standardError.isEmpty)
      let log = Log<String>()
      let other = try loop.processes.spawn("sleep", ["1000"], stdio: [.ignore, .pipe])
      other.result { log.append($0.error?.name ?? "none") }
      let identifier = other.processID
      other.close()
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == ["ECANCELED"])
      try loop.processes.kill(identifier, .kill)
      // As above.
      #expect(waitpid(identifier, nil, 0) == identifier)
    }
  }
}
