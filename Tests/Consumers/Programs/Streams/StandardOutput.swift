// Writes to the standard output, whatever it is. The program doesn't print, because `print` has a buffer of its own.
import UV

enum StandardOutput: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let output = try loop.standardOutput
      try await output.write("one\n").value
      try await output.write(Bytes("the same stream: \(try loop.standardOutput === output)\n")).value
      try await loop.standardError.write("").value
      _ = try loop.standardInput.isReadable
      output.write("a callback\n") { result in
        if case .failure(let error) = result { print(error) }
      }
    }
  }
}

// Prints:
// one
// the same stream: true
// a callback
