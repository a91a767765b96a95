// Protocols of lines and counted bytes.
import UV

private struct Lines: AsyncSequence {
  let stream: ByteStream

  struct AsyncIterator: AsyncIteratorProtocol {
    let stream: ByteStream
    var buffer: [UInt8] = []

    mutating func next() async throws -> String? {
      while true {
        if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          defer { buffer.removeSubrange(...end) }
          return String(decoding: buffer[..<end], as: UTF8.self)
        }
        guard let bytes = try await stream.read().value else { return nil }
        buffer += bytes
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }
}

enum FramesAndLines: Program {
  static func main() throws {
    try framesOfEveryKind()
    try linesOfAStream()
  }

  /// A protocol of lines and counted bytes: frames of every kind, with tasks and with callbacks.
  private static func framesOfEveryKind() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      loop.spawn {
        try? await far.write("PUT 5\r\nhello").value
        try? await far.write(["key=val", "ue;", "body in", " chunks"]).value
        far.close()
      }
      print(try await near.peek(exactly: 3).value ?? "-")
      let line = try await near.readLine(limit: 16).value
      let count = line.flatMap { Bytes($0.dropFirst(4)).decimal } ?? 0
      print(try await near.read(exactly: count).value ?? "-")
      print(try await near.read(until: ";", limit: 16).value ?? "-", near.unreadByteCount >= 0)
      print(try await near.readToEnd(limit: 100).value)
      print(try await near.readLine(limit: 10).value ?? "the end")
      near.close()
    }
    try EventLoop.runCallbacks { loop in
      let (near, far) = try loop.pipes.socketPair()
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
      far.write("12345\nend;word and more") { _ in far.close() }
      near.peek(exactly: 1) { print((try? $0.get()) ?? "-") }
      near.read(exactly: 2) { print((try? $0.get()) ?? "-") }
      near.readLine(limit: 10) { print((try? $0.get()) ?? "-") }
      near.read(until: ";", limit: 10) { print((try? $0.get()) ?? "-") }
      near.read(into: memory) { result in
        print((try? result.get()) ?? -1, String(decoding: memory, as: UTF8.self))
        near.readToEnd(limit: 3) { result in
          if case .failure(let error) = result { print(error) }
          near.readToEnd(limit: 100) { result in
            print((try? result.get()) ?? "-")
            memory.deallocate()
            near.close()
          }
        }
      }
    }
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
      defer { memory.deallocate() }
      try await far.write("abc").value
      far.close()
      print(try await near.read(into: memory).value, try await near.read(into: memory).value)
      near.close()
    }
  }

  /// A structure of one's own splits a connection into lines, as an `AsyncSequence` over it.
  private static func linesOfAStream() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      loop.spawn {
        do {
          try await far.write("one\ntw").value
          try await loop.sleep(for: .zero).value
          try await far.write(["o\n", "three\n"]).value
        } catch { print(error) }
        far.close()
      }
      for try await line in Lines(stream: near) { print(line) }
      near.close()
    }
  }
}

// Prints:
// PUT
// hello
// key=value true
// body in chunks
// the end
// 1
// 12
// 345
// end
// 4 word
// read to the end within 3 bytes: message too long (EMSGSIZE)
//  and more
// 3 0
// one
// two
// three
