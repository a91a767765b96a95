// A class that owns a loop runs it several times, and shuts it down when it goes.
import UV

private final class Engine {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  func count(_ path: String) throws -> Int {
    try loop.run { loop in try await loop.files.scandir(path).value.count }
  }

  func tick() -> Bool {
    var fired = false
    loop.runCallbacks { loop in loop.sleep(for: .milliseconds(1)) { _ in fired = true } }
    return fired
  }

  deinit {
    loop.shutdown()
    print("shut down: \(loop.isClosed)")
  }
}

enum LoopKeptByAClass: Program {
  static func main() throws {
    let engine = try Engine()
    print(try engine.count("/") > 0)
    print(engine.tick())
    print(try engine.count("/") > 0)
    do {
      _ = try engine.count("/nowhere")
    } catch {
      print(error)
    }
    print(engine.tick())
  }
}

// Prints:
// true
// true
// true
// fs_scandir /nowhere: no such file or directory (ENOENT)
// true
// shut down: true
