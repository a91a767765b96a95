// Tasks that cannot fail, in every place where one is awaited.
import UV

private func answer(_ loop: EventLoop) async {
  let task = loop.spawn { 5 }
  print(await task.value)
}

private func result<T>(_ task: LoopTask<T, Never>) async -> T { await task.value }

private func outcome<T, E: Error>(_ task: LoopTask<T, E>) async -> Result<T, E> {
  do throws(E) { return .success(try await task.value) } catch { return .failure(error) }
}

private final class Counter {
  private var tasks: [LoopTask<Void, Never>] = []
  private(set) var count = 0

  func start(_ loop: EventLoop, _ n: Int) {
    tasks = (0..<n).map { _ in
      loop.spawn {
        try? await loop.sleep(for: .milliseconds(1)).value
        self.count += 1
      }
    }
  }

  func end() async -> Int {
    for task in tasks { await task.value }
    return count
  }
}

enum TasksThatCannotFail: Program {
  static func main() throws {
    try valueOfATaskThatCannotFail()
    try tasksThatCannotFailInEveryPlace()
  }

  /// The value of a spawned task that cannot fail is awaited without `try`.
  private static func valueOfATaskThatCannotFail() throws {
    EventLoop.run { loop in
      await answer(loop)
      let text = loop.spawn { "text" }
      print(await text.value)
    }
  }

  /// Tasks that cannot fail are awaited in a generic function, in a class, from an array and beside one that can.
  private static func tasksThatCannotFailInEveryPlace() throws {
    EventLoop.run { loop in
      let five = loop.spawn { 5 }
      let fails = loop.spawn { () async throws(UVError) -> Int in
        Int(try await loop.files.stat("/no/such/file").value.size)
      }
      print(await result(five), await result(loop.spawn { "text" }))
      print(await outcome(five))
      switch await outcome(fails) {
      case .success(let n): print(n)
      case .failure(let error): print(error.name)
      }
      let counter = Counter()
      counter.start(loop, 3)
      print(await counter.end())
      do { print(try await five.value + fails.value) } catch { print(error) }
      print(five.resultIfFinished?.get() ?? 0)
    }
  }
}

// Prints:
// 5
// text
// 5 text
// success(5)
// ENOENT
// 3
// fs_stat /no/such/file: no such file or directory (ENOENT)
// 5
