// A file is sent over a connection by the kernel, and copied to another file.
import UV

enum SendingAFile: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let source = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      try await source.write(Bytes(repeating: 7, count: 300_000)).value
      let target = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      defer {
        loop.files.unlink(source.path) { _ in }
        loop.files.unlink(target.path) { _ in }
      }
      print(try await source.sendfile(to: target, count: 300_000).value)
      print(try await target.stat().value.size)

      let (near, far) = try loop.pipes.socketPair()
      let sending = loop.spawn { try await near.sendfile(source, from: 100_000, count: 200_000).value }
      var count = 0
      while count < 200_000, let bytes = try await far.read().value { count += bytes.count }
      print(try await sending.value, count)
      near.close()
      far.close()
      try await source.close().value
      try await target.close().value
    }
  }
}

// Prints:
// 300000
// 300000
// 200000 200000
