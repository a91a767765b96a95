// Tasks that keep no loop running, and one that is spawned too late.
import UV

enum TasksAtTheEnd: Program {
  static func main() throws {
    try taskThatKeepsNothingRunning()
    try spawnAfterTheEnd()
  }

  /// A server that nothing waits for: its task and its listener let the run end.
  private static func taskThatKeepsNothingRunning() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.keepsLoopRunning = false
      let server = loop.spawn {
        for try await connection in listener { try await connection.write("hello").value }
      }
      server.keepsLoopRunning = false
      print(server.keepsLoopRunning)

      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      if let chunk = try await client.read().value { print(String(decoding: chunk, as: UTF8.self)) }
    }
  }

  /// A task that is spawned on a loop that was shut down does not begin, and stops nothing.
  private static func spawnAfterTheEnd() throws {
    let loop = try EventLoop()
    loop.shutdown()
    let task = loop.spawn { print("never") }
    print(task.resultIfFinished == nil)
  }
}

// Prints:
// false
// hello
// true
