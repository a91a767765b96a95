// Promises are awaited, made of asynchronous closures, and waited for outside a loop.
import UV
import UVPromises

enum AwaitedPromises: Program {
  struct Refused: Error {}

  static func main() throws {
    try EventLoop.run { loop in
      print(try await loop.files.stat("/").promise().map(\.type).async())
      print(await Guarantee.value(2).async())
      do {
        _ = try await Promise<Int>(error: Refused()).async()
      } catch is Refused {
        print("refused")
      }
      let made = Promise { () async throws -> Int in
        try await loop.sleep(for: .milliseconds(1)).value
        return 3
      }
      print(try await made.async())
      let task = loop.spawn { try await loop.sleep(for: .seconds(3600)).promise().async() }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      do {
        try await task.value
      } catch {
        print(error.isCancelled)
      }
    }
    let loop = try EventLoop()
    let value = loop.runCallbacks { _ in after(.milliseconds(1)).map { 4 } }.wait()
    print(value)
    loop.shutdown()
  }
}

// Prints:
// directory
// 2
// refused
// 3
// true
// 4
