// An actor that lives on the loop's executor, and one that does not, are awaited from a task of the loop.
import UV

private actor OnTheLoop {
  private let executor: LoopExecutor
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: LoopExecutor) { self.executor = executor }

  func increment() -> (Int, Bool) {
    count += 1
    return (count, executor.isOnLoop)
  }
}

private actor Elsewhere {
  private var names: [String] = []
  func add(_ name: String) -> Int {
    names.append(name)
    return names.count
  }
}

enum ActorOnTheLoop: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let counter = OnTheLoop(loop.executor)
      let elsewhere = Elsewhere()
      for _ in 0..<2 {
        let (count, isOnLoop) = await counter.increment()
        print(count, isOnLoop)
        print(await elsewhere.add("name"), loop.executor.isOnLoop)
      }
      let executor = loop.executor
      let result = await Task(executorPreference: executor) { executor.isOnLoop }.value
      print(result)
      try await loop.sleep(for: .milliseconds(1)).value
    }
  }
}

// Prints:
// 1 true
// 1 true
// 2 true
// 2 true
// true
