// A writer that does not wait for each write stops above the high-water mark, and goes on after `drain()`.
import UV

enum BackPressureAndDrain: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      near.highWaterMark = 100_000
      let chunk = Bytes(repeating: 0x61, count: 50_000)
      let total = 2_000_000

      let reader = loop.spawn { () async throws(UVError) -> Int in
        var count = 0
        for try await bytes in far {
          count += bytes.count
          if count == total { break }
        }
        return count
      }

      var sent = 0
      var waits = 0
      while sent < total {
        near.write(chunk) { result in
          if case .failure(let error) = result { print(error) }
        }
        sent += chunk.count
        if near.isAboveHighWaterMark {
          waits += 1
          try await near.drain().value
        }
      }
      print(try await reader.value == total, waits > 0, near.writeQueueSize)
      near.close()
      far.close()
    }
  }
}

// Prints:
// true true 0
