// Many tasks at once: arrays of them, groups of Swift's own, and a stream that feeds one.
import UV

enum TasksTogether: Program {
  static func main() throws {
    try manyTasksAndTheirValues()
    try taskGroupBesideTheLoop()
    asyncStreamBesideTheLoop()
  }

  static func sizes(of paths: [String], on loop: EventLoop) async throws -> [Int64] {
    let tasks = paths.map { path in
      loop.spawn { try await loop.files.stat(path).value.size }
    }
    var sizes: [Int64] = []
    for task in tasks { sizes.append(try await task.value) }
    return sizes
  }

  /// An array of tasks whose values are gathered, as a typical fan-out does.
  private static func manyTasksAndTheirValues() throws {
    try EventLoop.run { loop in
      print(try await sizes(of: ["/", "/tmp", "/etc"], on: loop).count)
      do {
        _ = try await sizes(of: ["/", "/nowhere"], on: loop)
      } catch let error as UVError {
        print(error.name)
      }
      let names = ["a", "b"].map { name in loop.spawn { name.uppercased() } }
      for task in names { print(await task.value) }
    }
  }

  /// Task groups and `async let` of Swift's own, within a loop's task.
  private static func taskGroupBesideTheLoop() throws {
    try EventLoop.run { loop in
      let executor = loop.executor
      let squares = await withTaskGroup(of: Int.self) { group in
        for number in 1...4 { group.addTask { number * number } }
        var squares: [Int] = []
        for await square in group { squares.append(square) }
        return squares.sorted()
      }
      print(squares)

      async let handles = executor.submit { $0.activity.tasks }
      async let seven = 3 + 4
      print(try await handles, await seven)

      let sizes = try await withThrowingTaskGroup(of: Bool.self) { group in
        for path in ["/", "/tmp"] {
          group.addTask { try await executor.submit { loop in loop.isClosed || path.isEmpty } }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      print(sizes)
      print(executor.isOnLoop)
    }
  }

  /// An `AsyncStream` is fed by the loop's callbacks, and read by one of its tasks.
  private static func asyncStreamBesideTheLoop() {
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
// 3
// ENOENT
// A
// B
// [1, 4, 9, 16]
// 1 7
// [false, false]
// true
// 1 true
// 2 true
// 3 true
// read: no such file or directory (ENOENT)
