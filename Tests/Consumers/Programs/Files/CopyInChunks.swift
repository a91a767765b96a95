// A file is copied chunk by chunk, and its bytes are counted on the way: `Bytes` as a collection.
import UV

enum CopyInChunks: Program {
  static func copy(_ source: File, to target: File, chunk: Int = 1000) async throws -> [UInt8: Int] {
    var histogram: [UInt8: Int] = [:]
    while true {
      let bytes = try await source.read(chunk).value
      if bytes.isEmpty { return histogram }
      for byte in bytes { histogram[byte, default: 0] += 1 }
      try await target.write(bytes).value
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      let source = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      let target = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      defer {
        for file in [source, target] {
          file.close { _ in }
          loop.files.unlink(file.path) { _ in }
        }
      }
      let text = String(repeating: "ab", count: 2222)
      try await source.write(Bytes(text), at: 0).value
      let histogram = try await copy(source, to: target)
      print(histogram[97] ?? 0, histogram[98] ?? 0)
      let copied = try await loop.files.readFile(target.path).value
      print(copied == Bytes(text), copied.count, copied.hashValue == Bytes(text).hashValue)
      print(String(decoding: Bytes(copied.prefix(4)), as: UTF8.self), copied.first == 97, copied[1])
    }
  }
}

// Prints:
// 2222 2222
// true 4444 true
// abab true 98
