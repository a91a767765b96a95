// A loop on a thread of Foundation's gives its executor away, and other threads ask it for work until they stop it.
import Foundation
import UV

enum LoopOnAThreadOfItsOwn: Program {
  static func worker(
    _ ready: @escaping @Sendable (LoopExecutor) -> Void, _ ended: @escaping @Sendable () -> Void
  ) {
    Thread.detachNewThread {
      EventLoop.run { loop in
        ready(loop.executor)
        do {
          try await loop.sleep(for: .seconds(3600)).value
        } catch {
          print("stopped: \(error.isCancelled)")
        }
      }
      ended()
    }
  }

  static func main() throws {
    let end = DispatchSemaphore(value: 0)
    worker { executor in
      DispatchQueue.global().async {
        do {
          try executor.execute { loop in
            loop.files.stat("/") { result in
              print((try? result.get().type) == .directory)
              executor.stop()
            }
          }
        } catch { print(error) }
      }
    } _: {
      end.signal()
    }
    end.wait()
  }
}

// Prints:
// true
// stopped: true
