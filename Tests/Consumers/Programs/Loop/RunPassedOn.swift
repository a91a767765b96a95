// The ways to run a loop of one's own are values: a program passes one to whoever starts something.
import UV

private struct Application {
  let run: EventLoop.Runner
  let callbacks: EventLoop.CallbackRunner

  func size(of path: String) throws -> Int64 {
    try run { loop in try await loop.files.stat(path).value.size }
  }

  func turns() -> Int {
    callbacks { loop in
      loop.sleep(for: .milliseconds(1)) { _ in print("slept") }
      return 1
    }
  }
}

enum RunPassedOn: Program {
  static func main() throws {
    let loop = try EventLoop()
    let application = Application(run: loop.run, callbacks: loop.runCallbacks)
    print(try application.size(of: "/") >= 0)
    print(application.turns())
    loop.shutdown()
  }
}

// Prints:
// true
// slept
// 1
