// Mistakes that end in an error which says so.
import UV

enum MistakesThatFail: Program {
  static func main() throws {
    try runWithinARun()
    try twoReadersOfASource()
  }

  /// A loop that is run inside another, or after its end, is an error that says so.
  private static func runWithinARun() throws {
    try EventLoop.run { loop in
      print(code(of: try EventLoop.run { _ async throws(UVError) in }) == .loopRunning)
    }
    let loop = try EventLoop()
    loop.shutdown()
    print(code(of: try loop.run { _ async throws(UVError) in }) == .loopClosed)
    print(code(of: try loop.runOnce()) == .loopClosed)
    loop.sleep(for: .zero) { result in
      if case .failure(let error) = result { print("sleep: \(error.code == .loopClosed)") }
    }
    print(code(of: try loop.executor.execute { _ in print("never") }) == .loopClosed)
  }

  /// A source that has a handler refuses to be asked, and a descriptor has one owner.
  private static func twoReadersOfASource() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      near.start { result in
        if case .success(let bytes?) = result { print(String(decoding: bytes, as: UTF8.self)) }
      }
      print(await code(awaiting: try await near.next().value) == .sourceStarted)
      near.stop()
      try await far.write("for the second reader").value
      print(try await near.next().value == "for the second reader")
      print(code(of: try loop.pipes.open(fileDescriptor: near.fileDescriptor())) == .fileExists)
      print(code(of: try loop.tcp.open(fileDescriptor: 999)) == .badDescriptor)
      far.close()
      print(try await near.next().value == nil)
      near.close()
      do throws(UVError) {
        try await near.write("too late").value
      } catch {
        print(error.name, near.isWritable)
      }
    }
  }
}

// Prints:
// true
// true
// true
// sleep: true
// true
// true
// true
// true
// true
// true
// EBADF false
