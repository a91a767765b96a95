// A child's output is read from its pipe, and its exit is awaited.
import UV

enum OutputOfAChild: Program {
  static func main() throws {
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
}

// Prints:
// one
// two
// 3 false true
