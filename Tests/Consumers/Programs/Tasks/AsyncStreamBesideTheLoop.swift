// An `AsyncStream` is fed by the loop's callbacks, and read by one of its tasks.
import UV

enum AsyncStreamBesideTheLoop: Program {
  static func main() {
    EventLoop.run { loop in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let ticks = loop.ticks(every: .milliseconds(1))
      var count = 0
      ticks.start { result in
        guard case .success = result else { return continuation.finish() }
        count += 1
        continuation.yield(count)
        if count == 3 {
          ticks.stop()
          continuation.finish()
        }
      }
      for await number in stream { print(number, loop.executor.isOnLoop) }
      let throwing = AsyncThrowingStream<Bytes, any Error> { continuation in
        loop.files.readFile("/nowhere") { result in
          continuation.finish(throwing: UVError(.noSuchFile, operation: "read"))
          _ = result
        }
      }
      do {
        for try await bytes in throwing { print(bytes.count) }
      } catch {
        print(error)
      }
    }
  }
}

// Prints:
// 1 true
// 2 true
// 3 true
// read: no such file or directory (ENOENT)
