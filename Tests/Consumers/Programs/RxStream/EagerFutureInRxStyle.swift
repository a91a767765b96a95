// An eager future of RxStream's vocabulary: what ends is told from the end of the chain back.
import UV
import UVRxStream

enum EagerFutureInRxStyle: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let size = loop.files.stat("/").streamFuture()
        .map { status in status.type == .directory ? "a directory" : nil }
        .on { print($0) }
      size.delay(.milliseconds(50)).on { text in
        print("later: \(text)")
        loop.files.stat("/nowhere").streamFuture()
          .onError { print($0.name) }
          .onTerminate { _ in print("terminated") }
      }
    }
  }
}

// Prints:
// a directory
// later: a directory
// terminated
// ENOENT
