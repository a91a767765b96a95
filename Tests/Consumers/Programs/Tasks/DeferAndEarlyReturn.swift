// `defer`, `guard` and early `return` around awaits: what was opened is closed on each way out.
import UV

enum DeferAndEarlyReturn: Program {
  static func firstLine(_ loop: EventLoop, _ path: String, limit: Int) async throws -> String? {
    let file = try await loop.files.open(path).value
    defer {
      file.close { _ in print("closed \(path)") }
    }
    let status = try await file.stat().value
    guard status.size > 0 else { return nil }
    let bytes = try await file.read(limit).value
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw UVError(.messageTooLong, operation: "firstLine", subject: path)
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  static func main() throws {
    try EventLoop.run { loop in
      let texts = ["a": "first\nsecond\n", "b": "", "c": "no end of a line"]
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
        let path = "/tmp/consumers-defer-\(name)"
        try await loop.files.writeFile(path, Bytes(text)).value
        defer { loop.files.unlink(path) { _ in } }
        do {
          print(try await firstLine(loop, path, limit: 64) ?? "empty")
        } catch {
          print(error)
        }
        try await loop.sleep(for: .milliseconds(1)).value
      }
    }
  }
}

// Prints:
// first
// closed /tmp/consumers-defer-a
// empty
// closed /tmp/consumers-defer-b
// firstLine /tmp/consumers-defer-c: message too long (EMSGSIZE)
// closed /tmp/consumers-defer-c
