// The value of a spawned task that cannot fail is awaited without `try`.
import UV

private func answer(_ loop: EventLoop) async {
  let task = loop.spawn { 5 }
  print(await task.value)
}

enum ValueOfATaskThatCannotFail: Program {
  static func main() throws {
    EventLoop.run { loop in
      await answer(loop)
      let text = loop.spawn { "text" }
      print(await text.value)
    }
  }
}

// Prints:
// 5
// text
