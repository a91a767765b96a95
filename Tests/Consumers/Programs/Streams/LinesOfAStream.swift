// A structure of one's own splits a connection into lines, as an `AsyncSequence` over it.
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

enum LinesOfAStream: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      loop.spawn {
        do {
          try await far.write("one\ntw").value
          try await loop.sleep(for: .milliseconds(5)).value
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
// one
// two
// three
