import UV
import UVSimulation

extension World {
  /// Those programs of a machine that the library's own tests start.
  func addPrograms() {
    executable("true") { _ in 0 }
    executable("cat") { loop, _ in
      let (input, output) = (try loop.standardInput, try loop.standardOutput)
      for try await bytes in input { try await output.write(bytes).value }
      return 0
    }
    executable("sleep") { loop, arguments in
      try await loop.sleep(for: .seconds(Int(arguments[0])!)).value
      return 0
    }
    // Only `exit` and a number.
    executable("/bin/sh") { arguments in Int(arguments[1].split(separator: " ")[1])! }
  }
}
