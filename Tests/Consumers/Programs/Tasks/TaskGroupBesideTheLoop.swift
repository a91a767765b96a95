// Task groups and `async let` of Swift's own, within a loop's task.
import UV

enum TaskGroupBesideTheLoop: Program {
  static func main() throws {
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
}

// Prints:
// [1, 4, 9, 16]
// 1 7
// [false, false]
// true
