// An array of tasks whose values are gathered, as a typical fan-out does.
import UV

enum ManyTasksAndTheirValues: Program {
  static func sizes(of paths: [String], on loop: EventLoop) async throws -> [Int64] {
    let tasks = paths.map { path in
      loop.spawn { try await loop.files.stat(path).value.size }
    }
    var sizes: [Int64] = []
    for task in tasks { sizes.append(try await task.value) }
    return sizes
  }

  static func main() throws {
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
}

// Prints:
// 3
// ENOENT
// A
// B
