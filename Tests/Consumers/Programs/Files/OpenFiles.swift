// Files that are open: read and written at a place, in several buffers, chunk by chunk, and from a descriptor.
import SystemPackage
import UV

enum OpenFiles: Program {
  static func main() throws {
    try openReadWriteClose()
    try severalBuffersAtOnce()
    try copyInChunks()
    try openDescriptors()
  }

  /// A file is opened for reading and writing, written to, read at a place, cut short, and looked at.
  private static func openReadWriteClose() throws {
    try EventLoop.run { loop in
      let path = FilePath("/tmp/consumers-file-\(SystemInfo.processID)")
      let file = try await loop.files.open(
        path, .readWrite, options: [.create, .truncate], permissions: .ownerReadWriteOthersRead
      ).value
      print(file.path == path, "\(file)" == path.string)
      try await file.write("hello, world").value
      try await file.write("HELLO", at: 0).value
      print(String(decoding: try await file.read(64, at: 0).value, as: UTF8.self))
      try await file.sync().value
      try await file.dataSync().value
      try await file.truncate(to: 5).value
      try await file.chmod(.ownerReadWrite).value
      try await file.utime(accessTime: .seconds(1), modificationTime: .seconds(2)).value
      let status = try await file.stat().value
      print(
        status.size, status.modificationTime, status.permissions == .ownerReadWrite, status.type == .regular)
      try await file.chown(owner: status.owner, group: status.group).value
      try await file.close().value
      print(await code(awaiting: try await file.read(1).value) == .badDescriptor)
      try await loop.files.unlink(path).value
    }
  }

  /// Several buffers in one read or write of a file, and what a connection takes without waiting.
  private static func severalBuffersAtOnce() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      print(try near.tryWrite("one "), try near.tryWrite(["two ", "three"]))
      near.close()
      var text = ""
      for try await bytes in far { text += String(decoding: bytes, as: UTF8.self) }
      print(text)

      let file = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      defer { loop.files.unlink(file.path) { _ in } }
      try await file.write(["head ", "body"], at: 0).value
      print(try await file.read([5, 10], at: 0).value)
      file.write([" and", " more"], at: 9) { _ in
        file.read([18], at: 0) { result in
          print((try? result.get()) ?? [])
          file.close()
        }
      }
    }
  }

  static func copy(_ source: File, to target: File, chunk: Int = 1000) async throws -> [UInt8: Int] {
    var histogram: [UInt8: Int] = [:]
    while true {
      let bytes = try await source.read(chunk).value
      if bytes.isEmpty { return histogram }
      for byte in bytes { histogram[byte, default: 0] += 1 }
      try await target.write(bytes).value
    }
  }

  /// A file is copied chunk by chunk, and its bytes are counted on the way: `Bytes` as a collection.
  private static func copyInChunks() throws {
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

  /// A file from a descriptor that somebody else has opened.
  private static func openDescriptors() throws {
    try EventLoop.run { loop in
      let descriptor = try FileDescriptor.open("/dev/zero", .readOnly)
      let file = try loop.files.open(fileDescriptor: descriptor.rawValue)
      print(try await file.read(3).value.count)
      try await file.close().value
    }
  }
}

// Prints:
// true true
// HELLO, world
// 5 2.0 seconds true true
// true
// 4 9
// one two three
// [head , body]
// [head body and more]
// 2222 2222
// true 4444 true
// abab true 98
// 3
