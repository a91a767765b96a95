// A `@MainActor` class is updated from a loop on the main thread.
import UV

@MainActor
private final class Model {
  let title: String
  private(set) var lines: [String] = []
  var count: Int { lines.count }
  init(_ title: String) { self.title = title }
  func append(_ line: String) { lines.append(line) }
}

enum MainActorModel: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let model = await Model("lines")
      for number in 1...3 {
        try await loop.sleep(for: .milliseconds(1)).value
        await model.append("line \(number)")
      }
      await MainActor.run { print(model.lines) }
      let task = Task { @MainActor in model.count }
      print(await task.value, loop.executor.isOnLoop)
    }
  }
}

// Prints:
// ["line 1", "line 2", "line 3"]
// 3 true
