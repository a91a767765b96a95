import Foundation
import Testing
import UV
import UVTestSupport

/// Children whose standard streams are a terminal, of which the loop has the other end.
@Suite(.onTheMachine("terminals")) struct ChildTerminalTests {
  private static let size = TerminalSize(columns: 123, rows: 45)

  /// What a script prints, with the terminal's ends of lines, and how it ends.
  private func output(
    _ loop: EventLoop, _ script: String, stdio: [ChildProcess.Stdio] = []
  ) async throws -> (String, ChildProcess.ExitStatus) {
    let child = try loop.processes.spawn("/bin/sh", ["-c", script], terminal: Self.size, stdio: stdio)
    let text = "\(try await child.terminal!.readToEnd(limit: 1 << 22).value)"
    let status = try await child.exit().value
    child.terminal!.close()
    return (text, status)
  }

  @Test func `A child has a terminal of the size that was asked for`() async throws {
    try await withLoop { loop in
      let (text, status) = try await output(loop, "stty size; test -t 0 && test -t 1 && test -t 2 && tty")
      let lines = text.split(separator: "\r\n")
      #expect(lines.first == "45 123")
      #expect(lines.last?.hasPrefix("/dev/pts/") == true)
      #expect(status.isSuccess)
    }
  }

  @Test func `The terminal is that of the child's session, which the child leads`() async throws {
    try await withLoop { loop in
      let script = """
        import os
        terminal = os.open("/dev/tty", os.O_RDWR)
        print(os.getsid(0) == os.getpid() == os.tcgetpgrp(terminal), os.ttyname(0))
        """
      let child = try loop.processes.spawn("python3", ["-c", script], terminal: Self.size)
      let text = "\(try await child.terminal!.readToEnd(limit: 1000).value)"
      #expect(text.hasPrefix("True /dev/pts/"), "\(text)")
      #expect(try await child.exit().value.isSuccess)
      child.terminal!.close()
    }
  }

  @Test func `What is typed arrives line by line, and its echo comes back`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "while read line; do echo \"<$line>\"; done; echo end"], terminal: Self.size)
      let terminal = child.terminal!
      try await terminal.write("one\n").value
      #expect(try await terminal.read(until: "<one>\r\n", limit: 100).value == "one\r\n")
      try await terminal.write("\u{4}").value
      #expect(try await terminal.readToEnd(limit: 100).value == "end\r\n")
      #expect(try await child.exit().value.isSuccess)
      terminal.close()
    }
  }

  @Test func `Control-C ends the program in the foreground by its signal`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "echo ready; exec sleep 1000"], terminal: Self.size)
      _ = try await child.terminal!.read(until: "ready\r\n", limit: 100).value
      try await child.terminal!.write("\u{3}").value
      #expect(try await child.exit().value.signal == .interrupt)
      #expect(try await child.terminal!.readToEnd(limit: 100).value == "^C")
      child.terminal!.close()
    }
  }

  @Test func `A new size reaches the child by its signal`() async throws {
    try await withLoop { loop in
      let script = "trap 'stty size; exit' WINCH; echo ready; while :; do read line || :; done"
      let child = try loop.processes.spawn("bash", ["-c", script], terminal: Self.size)
      let terminal = child.terminal!
      _ = try await terminal.read(until: "ready\r\n", limit: 100).value
      try terminal.resize(to: TerminalSize(columns: 80, rows: 24))
      // bash runs a trap once `read` has ended.
      try await terminal.write("\n").value
      let text = "\(try await terminal.readToEnd(limit: 1000).value)"
      #expect(text.hasSuffix("24 80\r\n"), "\(text)")
      #expect(try await child.exit().value.isSuccess)
      for size in [(0, 24), (80, 65536), (-1, 1)] {
        await expectError(
          .invalidArgument, of: try terminal.resize(to: TerminalSize(columns: size.0, rows: size.1)))
      }
      try await terminal.close().value
      await expectError(.badDescriptor, of: try terminal.resize(to: Self.size))
    }
  }

  @Test func `All that a child has written comes before the end, however much`() async throws {
    try await withLoop { loop in
      for count in [1, 4095, 4096, 4097, 300_000] {
        let (text, status) = try await output(
          loop, "stty -opost; head -c \(count) /dev/zero | tr '\\0' x")
        #expect(text.utf8.count == count && text.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
        #expect(status.isSuccess)
      }
    }
  }

  @Test func `The stream ends with the last process that has the terminal`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "trap '' HUP; exec 3<&0; (read line <&3; echo $line) & echo first"],
        terminal: Self.size)
      let terminal = child.terminal!
      _ = try await terminal.read(until: "first\r\n", limit: 100).value
      #expect(try await child.exit().value.isSuccess)
      try await terminal.write("late\n").value
      #expect(try await terminal.readToEnd(limit: 100).value == "late\r\nlate\r\n")
      terminal.close()
    }
  }

  @Test func `Closing the stream hangs up, which ends the child`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("sleep", ["1000"], terminal: Self.size)
      try await child.terminal!.close().value
      #expect(try await child.exit().value.signal == .hangup)
    }
  }

  @Test func `A cancelled read leaves the terminal as it is`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("cat", terminal: Self.size)
      let terminal = child.terminal!
      let codes = Log<UVError.Code?>()
      let reading = terminal.next { result in
        if case .failure(let error) = result { codes.append(error.code) } else { codes.append(nil) }
      }
      reading.cancel()
      try await terminal.write("more\n").value
      #expect(try await terminal.read(until: "more\r\n", limit: 100).value == "")
      #expect(codes.values == [.cancelled])
      try child.kill()
      #expect(try await child.exit().value.signal == .terminate)
      terminal.close()
    }
  }

  @Test func `A stream can be beside the terminal`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "echo shown; echo wrong >&2; test -t 2 || exit 3"], terminal: Self.size,
        stdio: [.terminal, .terminal, .pipe])
      #expect(try await child.standardError!.readToEnd(limit: 100).value == "wrong\n")
      #expect(try await child.terminal!.readToEnd(limit: 100).value == "shown\r\n")
      #expect(try await child.exit().value.code == 3)
      child.terminal!.close()
      child.standardError!.close()
    }
  }

  @Test func `A terminal that can't be had leaves nothing`() async throws {
    try await withLoop { loop in
      for _ in 0..<10 {
        await expectError(
          .noSuchFile, of: try loop.processes.spawn("/nowhere/at/all", terminal: Self.size))
        await expectError(.invalidArgument, of: try loop.processes.spawn("cat", stdio: [.terminal]))
        await expectError(
          .invalidArgument, of: try loop.processes.spawn("cat", terminal: TerminalSize(columns: 0, rows: 1)))
        await expectError(
          .notSupported, of: try loop.processes.spawn("cat", user: getuid(), terminal: Self.size))
        await expectError(
          .invalidArgument, .badDescriptor,
          of: try loop.processes.spawn("cat", terminal: Self.size, stdio: [.descriptor(-2)]))
      }
    }
  }
}
