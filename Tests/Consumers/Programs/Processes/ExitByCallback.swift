// Children whose ends are told by callback, in an array; a descriptor is inherited.
import UV

enum ExitByCallback: Program {
  static func main() throws {
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
}

// Prints:
// [1, 2, 3]
// false
