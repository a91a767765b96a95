import Foundation
import Testing
import UV
import UVTestSupport

/// Programs of which nothing is said have limits of their output, no input, and nothing that their parent has open.
@Suite(.serialized) struct RunDefaultTests {
  /// How the outputs of a child are collected.
  enum Way: CaseIterable {
    case run, runWithCallback, result, resultWithCallback
  }

  /// The error of a child that writes so many bytes; nil if it has a result with all of them.
  private nonisolated(nonsending) func error(
    _ way: Way, _ loop: EventLoop, count: Int, isError: Bool
  ) async throws(UVError) -> UVError? {
    let arguments = ["-c", "head -c \(count) /dev/zero\(isError ? " >&2" : "")"]
    func child() throws(UVError) -> ChildProcess {
      try loop.processes.spawn("/bin/sh", arguments, stdio: [.ignore, .pipe, .pipe])
    }
    let log = Log<Result<ExecutionResult, UVError>>()
    let done: Completion<ExecutionResult> = { log.append($0) }
    switch way {
    case .run: loop.processes.run("/bin/sh", arguments).start(done)
    case .runWithCallback: loop.processes.run("/bin/sh", arguments, done)
    case .result: try child().result().start(done)
    case .resultWithCallback: try child().result(done)
    }
    try await loop.until { !log.values.isEmpty }
    switch log.values[0] {
    case .success(let result):
      #expect((isError ? result.standardError : result.standardOutput).count == count)
      return nil
    case .failure(let error): return error
    }
  }

  @Test(arguments: Way.allCases, [false, true])
  func `A mebibyte of output is collected, and of errors, and no more unless the program says so`(
    way: Way, isError: Bool
  ) async throws {
    try await withLoop { loop in
      #expect(try await error(way, loop, count: 1 << 20, isError: isError) == nil)
      let error = try await error(way, loop, count: 1 << 20 + 1, isError: isError)
      #expect(error?.code == .messageTooLong)
      #expect(error?.subject == "standard \(isError ? "error" : "output") within 1048576 bytes")
    }
  }

  @Test func `A result that fails leaves the other pipe to the next reader`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "printf 12345; read line; printf error >&2; read line"],
        stdio: [.pipe, .pipe, .pipe])
      await expectError(.messageTooLong, of: try await child.result(outputLimit: 3).value)
      try await child.standardInput!.write("go on\n").value
      #expect(try await child.standardError!.read(exactly: 5).value == "error")
      try await child.standardInput!.write("end\n").value
      #expect(try await child.exit().value.isSuccess)
      for pipe in child.stdio { pipe?.close() }
      child.close()
    }
  }

  #if os(Linux)
  /// The target of a child's descriptor 0, in a process that has a file there.
  private static func openOfChild() throws -> Bytes {
    precondition(dup2(fileno(tmpfile()), 0) == 0)
    return try EventLoop.run { loop in
      try await loop.processes.run("readlink", ["/proc/self/fd/0"]).value.standardOutput
    }
  }

  @Test func `A program that is run without an input hasn't its parent's`() async {
    await #expect(processExitsWith: .success) {
      exit(try RunDefaultTests.openOfChild() == "/dev/null\n" ? 0 : 1)
    }
  }

  @Test func `No child inherits what this process has inherited once it says so`() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0)
      let descriptor = ends[1]
      let isInherited = { fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 }
      guard isInherited() else { exit(2) }
      try EventLoop.run { $0.processes.disableStdioInheritance() }
      exit(isInherited() ? 1 : 0)
    }
  }
  #endif

  @Test func `A signal that there isn't is refused, and the child goes on`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("/bin/cat", stdio: [.pipe, .pipe])
      for number in [-1, 65, 999, .max] as [Int32] {
        await expectError(.invalidArgument, of: try child.kill(Signal(rawValue: number)))
      }
      try await child.standardInput!.write("here").value
      #expect(try await child.standardOutput!.next().value == "here")
      child.standardInput!.close()
      #expect(try await child.exit().value.isSuccess)
      child.close()
    }
  }

  @Test(
    "A terminal has 1 to 65535 columns and rows",
    arguments: [1, 65535, 0, -1, 65536, .min, .max], [true, false])
  func sizes(number: Int, isRows: Bool) async throws {
    let size = isRows ? TerminalSize(columns: 80, rows: number) : TerminalSize(columns: number, rows: 24)
    try await withLoop { loop in
      let child = try loop.processes.spawn("/bin/cat", terminal: TerminalSize(columns: 80, rows: 24))
      let isValid = 1...65535 ~= number
      #expect(
        await code { () async throws(UVError) in try child.terminal!.resize(to: size) }
          == (isValid ? nil : .invalidArgument))
      do throws(UVError) {
        let other = try loop.processes.spawn("/bin/true", terminal: size)
        #expect(isValid)
        _ = try await other.exit().value
        other.terminal!.close()
        other.close()
      } catch { #expect(!isValid && error.code == .invalidArgument, "\(error)") }
      child.terminal!.close()
      _ = try await child.exit().value
      child.close()
    }
  }
}
