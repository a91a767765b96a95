import Foundation
import Testing
import UV
import UVTestSupport

/// Each kind of descriptor at each number that a child may have: who can read and write there.
@Suite(.serialized, .onTheMachine("programs of the machine")) struct StdioTableTests {
  enum Kind: CaseIterable, Sendable { case pipe, channel }

  @Test(arguments: 0...5, Kind.allCases)
  func `A child reads what it is sent and is read, in the directions that its descriptor has`(
    number: Int, kind: Kind
  )
    async throws
  {
    try await withLoop { loop in
      var stdio = [ChildProcess.Stdio](repeating: .ignore, count: number + 1)
      stdio[number] = kind == .pipe ? .pipe : .channel
      let (reads, writes) = (kind == .channel || number != 1 && number != 2, kind == .channel || number != 0)
      let script =
        (reads ? "read line <&\(number); " : "line=nothing; ")
        + (writes ? "echo \"got $line\" >&\(number)" : "test \"$line\" = hello")
      let child = try loop.processes.spawn("/bin/sh", ["-c", script], stdio: stdio)
      let end = try #require(child.stdio[number])
      #expect(child.stdio.count == number + 1 && child.stdio[..<number].allSatisfy { $0 == nil })
      #expect(end.isWritable == reads && end.isReadable == writes)
      if reads {
        try await end.write("hello\n").value
      } else {
        await expectError(
          .brokenPipe, .notConnected, .badDescriptor, .notPermitted, of: try await end.write("hello\n").value)
      }
      if writes {
        let text = try await end.readLine(limit: 100).timeout(after: .seconds(20)).value
        #expect(text.map { "\($0)" } == (reads ? "got hello" : "got nothing"))
      }
      #expect(try await child.exit().value.isSuccess)
      end.close()
      let named = [child.standardInput, child.standardOutput, child.standardError]
      for (place, stream) in named.enumerated() { #expect((stream === end) == (place == number)) }
    }
  }

  @Test func `Several of each kind side by side don't get in each other's way`() async throws {
    try await withLoop { loop in
      let script = "for n in 3 4 5 6; do read line <&$n; echo \"$n $line\" >&$n; done; cat"
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", script], stdio: [.pipe, .pipe, .ignore, .pipe, .channel, .pipe, .channel])
      for number in [6, 5, 4, 3] { try await child.stdio[number]!.write(Bytes("to \(number)\n")).value }
      for number in 3...6 {
        let line = try await child.stdio[number]!.readLine(limit: 100).timeout(after: .seconds(20)).value
        #expect(line == Bytes("\(number) to \(number)"))
      }
      try await child.standardInput!.write("the rest").value
      try await child.standardInput!.shutdown().value
      #expect(try await child.standardOutput!.readToEnd(limit: 100).value == "the rest")
      #expect(try await child.exit().value.isSuccess)
      for pipe in child.stdio { pipe?.close() }
    }
  }

  @Test(arguments: 0...4)
  func `A file or the null device is at each number, and nothing at those that are left out`(number: Int)
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "contents\n").value
      let file = Foundation.open(path, O_RDWR | O_APPEND | O_CLOEXEC)
      defer { Foundation.close(file) }
      var stdio = [ChildProcess.Stdio](repeating: .ignore, count: max(number, 4) + 1)
      stdio[number] = .descriptor(file)
      // Where the child reports what there is.
      let report = number == 4 ? 3 : 4
      stdio[report] = .pipe
      let script =
        "for n in 0 1 2 3 4 5; do readlink /proc/$$/fd/$n || echo none; done >&\(report) 2>/dev/null"
      let child = try loop.processes.spawn("/bin/sh", ["-c", script], stdio: stdio)
      let text = "\(try await child.stdio[report]!.readToEnd(limit: 1000).value)"
      let lines = text.split(separator: "\n").map(String.init)
      let real = try await loop.files.realpath(path).value.string
      for place in 0...5 where place != report && place != 1 && place != 2 {
        #expect(
          lines[place] == (place == number ? real : place == 0 ? "/dev/null" : "none"), "\(place): \(lines)")
      }
      #expect(try await child.exit().value.isSuccess)
      child.stdio[report]!.close()
      // It still is the caller's.
      #expect(fcntl(file, F_GETFD) == FD_CLOEXEC)
    }
  }

  @Test(arguments: [0, 1, 7, 42, 127, 255])
  func `A child's code is what it ended with`(code: Int) async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("/bin/sh", ["-c", "exit \(code)"])
      let status = try await child.exit().value
      #expect((status.code, status.signal, status.isSuccess) == (code, nil, code == 0))
      #expect(
        try await loop.processes.run("/bin/sh", ["-c", "exit \(code)"]).value.terminationStatus == status)
    }
  }

  @Test(arguments: [Signal.hangup, .interrupt, .quit, .kill, .terminate, .user1, .user2])
  func `A child that a signal ends says which, and no code`(signal: Signal) async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("sleep", ["1000"])
      try child.kill(signal)
      let status = try await child.exit().value
      #expect((status.code, status.signal, status.isSuccess) == (0, signal, false))
      #expect(child.exitStatus == status)
      await expectError(.noSuchProcess, of: try child.kill(signal))
    }
  }

  @Test func `Several wait for a child's end, and each is answered or cancelled alone`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("cat", stdio: [.pipe, .pipe])
      let log = Log<String>()
      let pending = (0..<4).map { number in
        child.exit { log.append("\(number) \($0.error?.name ?? "\($0.value!.code)")") }
      }
      pending[1].cancel()
      pending[3].cancel()
      pending[1].cancel()
      try await loop.settle()
      #expect(log.values == ["1 ECANCELED", "3 ECANCELED"])
      child.standardInput!.close()
      try await loop.until { log.values.count == 4 }
      #expect(log.values.suffix(2) == ["0 0", "2 0"])
      for request in pending { request.cancel() }
      try await loop.settle()
      #expect(log.values.count == 4)
      child.standardOutput!.close()
    }
  }
}
