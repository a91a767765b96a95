// `defer`, `guard` and early `return` around awaits: what was opened is closed on each way out.
import UV

enum DeferAndEarlyReturn: Program {
  static func firstLine(_ loop: EventLoop, _ name: String, limit: Int) async throws -> String? {
    let file = try await loop.files.open(path(name)).value
    defer {
      print("closing \(name)")
      file.close { _ in }
    }
    let status = try await file.stat().value
    guard status.size > 0 else { return nil }
    let bytes = try await file.read(limit).value
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw UVError(.messageTooLong, operation: "firstLine", subject: name)
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  static func path(_ name: String) -> String { "/tmp/consumers-defer-\(SystemInfo.processID)-\(name)" }

  static func main() throws {
    try EventLoop.run { loop in
      let texts = ["a": "first\nsecond\n", "b": "", "c": "no end of a line"]
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
        try await loop.files.writeFile(path(name), Bytes(text)).value
        defer { loop.files.unlink(path(name)) { _ in } }
        do {
          print(try await firstLine(loop, name, limit: 64) ?? "empty")
        } catch {
          print(error)
        }
      }
    }
  }
}

// Prints:
// closing a
// first
// closing b
// empty
// closing c
// firstLine c: message too long (EMSGSIZE)
