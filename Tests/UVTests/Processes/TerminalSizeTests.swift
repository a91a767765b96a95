import Testing
import UV
import UVTestSupport

/// The sizes that a child's terminal may have.
@Suite(.serialized, .onTheMachine("terminals")) struct TerminalSizeTests {
  @Test(arguments: [(1, 1), (1, 65535), (65535, 1), (80, 24), (24, 80)])
  func `A size within its range is what the child has, from its start or later`(columns: Int, rows: Int)
    async throws
  {
    try await withLoop { loop in
      let size = TerminalSize(columns: columns, rows: rows)
      let script = "stty size; read line; stty size"
      for isLater in [false, true] {
        let first = isLater ? TerminalSize(columns: 7, rows: 9) : size
        let child = try loop.processes.spawn("/bin/sh", ["-c", script], terminal: first)
        let terminal = try #require(child.terminal)
        #expect(try await terminal.readLine(limit: 100).value == Bytes("\(first.rows) \(first.columns)"))
        try terminal.resize(to: size)
        try await terminal.write("\n").value
        var text = ""
        for try await bytes in terminal { text += "\(bytes)" }
        #expect(text.split(whereSeparator: \.isNewline).last.map(String.init) == "\(rows) \(columns)")
        #expect(try await child.exit().value.isSuccess)
        terminal.close()
      }
    }
  }

  @Test(arguments: [(0, 1), (1, 0), (-1, 5), (5, -1), (65536, 1), (1, 65536), (Int.max, 1), (1, .min)])
  func `A size out of its range is refused, and the child keeps what it has`(columns: Int, rows: Int)
    async throws
  {
    try await withLoop { loop in
      let size = TerminalSize(columns: columns, rows: rows)
      await expectError(.invalidArgument, of: try loop.processes.spawn("true", terminal: size))
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "read line; stty size"], terminal: TerminalSize(columns: 3, rows: 4))
      let terminal = try #require(child.terminal)
      await expectError(.invalidArgument, of: try terminal.resize(to: size))
      try await terminal.write("\n").value
      var text = ""
      for try await bytes in terminal { text += "\(bytes)" }
      #expect(text.contains("4 3"))
      #expect(try await child.exit().value.isSuccess)
      terminal.close()
      await expectError(.badDescriptor, of: try terminal.resize(to: TerminalSize(columns: 1, rows: 1)))
    }
  }
}
