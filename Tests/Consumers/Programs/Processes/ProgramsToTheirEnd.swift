// Programs that are run to their ends, with what they write and a deadline.
import UV

enum ProgramsToTheirEnd: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let sorted = try await loop.processes.run("sort", ["-r"], input: "a\nb\n").value
      print(sorted.terminationStatus.isSuccess, sorted.processID > 0)
      print(sorted.standardOutput, terminator: "")

      let failed = try await loop.processes.run("/bin/sh", ["-c", "echo sorry >&2; exit 3"]).value
      print(failed.terminationStatus.code, failed.standardError, terminator: "")

      print(
        await code(
          awaiting: try await loop.processes.run("sleep", ["1000"]).timeout(after: .milliseconds(10)).value)
          == .timedOut)

      do throws(UVError) {
        _ = try await loop.processes.run("yes", outputLimit: 100).value
      } catch { print(error) }

      let child = try loop.processes.spawn("echo", ["by a child"], stdio: [.ignore, .pipe])
      let result = try await child.result(outputLimit: 100).value
      print(result.standardOutput, terminator: "")
      let double = ExecutionResult(
        processID: result.processID, terminationStatus: ChildProcess.ExitStatus(code: 0),
        standardOutput: "by a child\n")
      print(result == double)
    }
    EventLoop.runCallbacks { loop in
      loop.processes.run("echo", ["by a callback"]) { result in
        if case .success(let result) = result { print(result.standardOutput, terminator: "") }
        loop.processes.run("/no/such/program") { result in
          if case .failure(let error) = result { print(error.code == .noSuchFile) }
        }
      }
    }
    try EventLoop.runCallbacks { loop in
      let child = try loop.processes.spawn("true")
      child.result { result in
        if case .success(let result) = result { print(result.terminationStatus.isSuccess) }
        child.close()
      }
    }
  }
}

// Prints:
// true true
// b
// a
// 3 sorry
// true
// run standard output within 100 bytes: message too long (EMSGSIZE)
// by a child
// true
// by a callback
// true
// true
