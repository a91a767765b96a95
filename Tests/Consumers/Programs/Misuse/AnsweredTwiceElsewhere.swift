// A request of one's own that answers a child of a task twice, without a value, stops the program with a sentence.
import UV

enum AnsweredTwiceElsewhere: Program {
  static func main() throws {
    try EventLoop.run { loop in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { @LoopActor in
          let twice = Request<Void>(loop) { done in
            loop.sleep(for: .milliseconds(1)) { _ in done(.success(())) }
            loop.sleep(for: .milliseconds(2)) { _ in done(.failure(UVError(.timedOut, operation: "wait"))) }
            return PendingRequest()
          }
          try? await twice.value
          try? await loop.sleep(for: .untilCancelled).value
        }
      }
    }
  }
}

// Stops:
// the completion of a request was called twice
