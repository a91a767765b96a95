// Children that inherit a descriptor of a program whose own ones aren't for its children.
import UV

enum InheritedDescriptors: Program {
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
  }
}

// Prints:
// [1, 2, 3]
