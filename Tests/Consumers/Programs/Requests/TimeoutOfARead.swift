// A read that takes too long is given up by `timeout(after:)`, and the connection is used on.
import UV

enum TimeoutOfARead: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      defer {
        near.close()
        far.close()
      }
      do throws(UVError) {
        _ = try await near.read().timeout(after: .milliseconds(20)).value
      } catch {
        print(error.code == .timedOut ? "too late" : "\(error)")
      }
      try await far.write("late, but here").value
      let bytes = try await near.read().timeout(after: .seconds(5)).value
      print(bytes.map { String(decoding: $0, as: UTF8.self) } ?? "the end")
    }
  }
}

// Prints:
// too late
// late, but here
