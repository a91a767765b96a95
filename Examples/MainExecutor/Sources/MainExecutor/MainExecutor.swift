// Everything of an asynchronous main runs on libuv's loop: `swift run --package-path Examples/MainExecutor`.
import UV

/// The one line that puts the main actor, tasks and their sleeps on the loop. The compiler looks for this name.
typealias DefaultExecutorFactory = LoopFactory

@main
struct Program {
  static func main() async throws {
    let name = EventLoop.current?.name
    print("main:", name ?? "no loop")
    try await Task.sleep(for: .milliseconds(20))
    print("after a sleep:", EventLoop.current?.name == name)
    print("a task:", await Task { EventLoop.current?.name }.value == name)
    print("a task of no actor:", await Task.detached { EventLoop.current?.name }.value == name)
    print("the main actor:", await Task { @MainActor in EventLoop.current?.name }.value == name)
    let sum = await withTaskGroup { tasks in
      for number in 1...1000 { tasks.addTask { number } }
      var sum = 0
      for await number in tasks { sum += number }
      return sum
    }
    print("a thousand tasks:", sum)
    if let loop = EventLoop.current {
      print("a request of libuv's:", try await loop.files.stat("/").value.type == .directory)
    }
  }
}
