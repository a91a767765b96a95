// Threads of Foundation's send work to a loop by its executor, which runs it in order.
import Foundation
import UV

enum WorkSentToALoopFromThreads: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let executor = loop.executor
      let sum = loop.spawn { () async throws(UVError) -> Int in
        var sum = 0
        for i in 1...10 { sum += try await executor.submit { _ in i } }
        return sum
      }
      var seen: [Int] = []
      let numbers = AsyncStream<Int> { continuation in
        Thread.detachNewThread {
          for i in 0..<3 {
            do { try executor.execute { _ in continuation.yield(i) } } catch { print(error) }
          }
          do { try executor.execute { _ in continuation.finish() } } catch { print(error) }
        }
      }
      for await number in numbers { seen.append(number) }
      print(seen)
      print(try await sum.value)
      let onLoop = await Task.detached { executor.isOnLoop }.value
      print(onLoop, executor.isOnLoop)
    }
  }
}

// Prints:
// [0, 1, 2]
// 55
// false true
