// A child reads what it is sent and answers; its environment and directory are given.
import UV

enum PipesToAndFromAChild: Program {
  static func text(_ stream: PipeConnection?) async throws -> String {
    guard let stream else { return "no pipe" }
    var text = ""
    for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
    return text
  }

  static func main() throws {
    try EventLoop.run { loop in
      let child = try loop.processes.spawn(
        "sh", ["-c", "tr a-z A-Z; echo $NAME >&2; pwd >&2"],
        environment: ["NAME": "value", "PATH": "/bin:/usr/bin"], workingDirectory: "/tmp",
        stdio: [.pipe, .pipe, .pipe])
      print(child.processID > 0, child.exitStatus == nil, child.stdio.count)
      try await child.standardInput?.write("hello\n").value
      child.standardInput?.close()
      print(try await text(child.standardOutput), terminator: "")
      print(try await text(child.standardError), terminator: "")
      let status = try await child.exit().value
      print(status.isSuccess, child.exitStatus == status, status == ChildProcess.ExitStatus(code: 0))
    }
  }
}

// Prints:
// true true 3
// HELLO
// value
// /tmp
// true true true
