// Children: what they read and write, how they end, and how they are ended.
import UV

enum ChildProcesses: Program {
  static func main() throws {
    try outputOfAChild()
    try pipesToAndFromAChild()
    try exitByCallback()
    try killingAChild()
  }

  /// A child's output is read from its pipe, and its exit is awaited.
  private static func outputOfAChild() throws {
    try EventLoop.run { loop in
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "echo one; echo two; exit 3"], stdio: [.ignore, .pipe])
      var text = ""
      if let output = child.standardOutput {
        for try await chunk in output { text += String(decoding: chunk, as: UTF8.self) }
      }
      let status = try await child.exit().value
      print(text, terminator: "")
      print(status.code, status.isSuccess, status.signal == nil)
    }
  }

  static func text(_ stream: PipeConnection?) async throws -> String {
    guard let stream else { return "no pipe" }
    var text = ""
    for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
    return text
  }

  /// A child reads what it is sent and answers; its environment and directory are given.
  private static func pipesToAndFromAChild() throws {
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

  /// Children whose ends are told by callback, in an array; a descriptor is inherited.
  private static func exitByCallback() throws {
    try EventLoop.runCallbacks { loop in
      loop.processes.disableStdioInheritance()
      var codes: [Int] = []
      let children = try (1...3).map { code in
        try loop.processes.spawn(
          "/bin/sh", ["-c", "exit \(code)"], stdio: [.ignore, .inherit, .descriptor(2)])
      }
      for child in children {
        child.exit { result in
          guard case .success(let status) = result else { return print(result) }
          codes.append(status.code)
          if codes.count == children.count { print(codes.sorted()) }
        }
      }
    }
    let request: ChildProcess.Stdio = .channel
    print(request == .pipe)
  }

  /// A child that does not end is ended by a signal, after a time; one that does not exist is an error.
  private static func killingAChild() throws {
    try EventLoop.run { loop in
      let child = try loop.processes.spawn("/bin/sleep", ["3600"], isDetached: true, stdio: [.ignore])
      do throws(UVError) {
        _ = try await child.exit().timeout(after: .milliseconds(20)).value
      } catch {
        print(error.code == .timedOut)
        try child.kill()
      }
      let status = try await child.exit().value
      print(status.isSuccess, status.signal == .terminate, status.signal?.description ?? "-")
      print(code(of: try child.kill(.kill)) == .noSuchProcess)
      print(code(of: try loop.processes.spawn("/nowhere/program")) == .noSuchFile)
      print([Signal.hangup, .interrupt, .quit, .profiling].map(\.rawValue))
    }
  }
}

// Prints:
// one
// two
// 3 false true
// true true 3
// HELLO
// value
// /tmp
// true true true
// [1, 2, 3]
// false
// true
// false true Terminated
// true
// true
// [1, 2, 3, 27]
