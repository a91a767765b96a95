import Foundation
import Testing
import UV
import UVTestSupport

/// A child's standard streams are pipes, as those of a shell are.
@Suite(.onTheMachine("programs of the machine")) struct ChildPipeTests {
  @Test("A child can open its standard streams by their names")
  func names() async throws {
    try await withLoop { loop in
      let script = "cat /dev/stdin > /dev/stdout; echo err | tee /dev/stderr > /dev/null"
      let result = try await loop.processes.run("/bin/sh", ["-c", script], input: "through\n").value
      #expect(result.terminationStatus.isSuccess)
      #expect(result.standardOutput == "through\n")
      #expect(result.standardError == "err\n")
    }
  }

  @Test(
    "A pipe is a pipe where the child only reads or writes it, and a socket otherwise, for another user too",
    arguments: [nil, getuid()])
  func kinds(user: UInt32?) async throws {
    try await withLoop { loop in
      let script = "for n in 0 1 2 3 4; do readlink /proc/self/fd/$n || :; done >&4"
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", script], user: user, stdio: [.pipe, .pipe, .pipe, .channel, .pipe])
      #expect(child.standardInput!.isWritable && !child.standardInput!.isReadable)
      #expect(child.standardOutput!.isReadable && !child.standardOutput!.isWritable)
      #expect(child.stdio[4]!.isReadable && child.stdio[4]!.isWritable)
      let text = "\(try await child.stdio[4]!.readToEnd(limit: 1000).value)"
      // The shell has put the last descriptor over its standard output meanwhile.
      let kinds = text.split(separator: "\n").map { $0.prefix { $0 != ":" } }
      #expect(kinds == ["pipe", "socket", "pipe", "socket", "socket"])
      #expect(try await child.exit().value.isSuccess)
      for pipe in child.stdio { pipe?.close() }
    }
  }

  @Test func `The end of the input comes after all that was written`() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("cat", stdio: [.pipe, .pipe])
      let input = child.standardInput!
      let bytes = Bytes(Array(repeating: UInt8(ascii: "x"), count: 1 << 20))
      let written = Log<Bool>()
      input.write(bytes) { result in if case .success = result { written.append(true) } }
      input.shutdown { result in if case .success = result { written.append(true) } }
      #expect(try await child.standardOutput!.readToEnd(limit: 1 << 21).value.count == 1 << 20)
      #expect(try await child.exit().value.isSuccess)
      #expect(written.values.count == 2)
      #expect(input.isClosing)
      await expectError(.badDescriptor, of: try await input.write("more").value)
      child.standardOutput!.close()
    }
  }
}
