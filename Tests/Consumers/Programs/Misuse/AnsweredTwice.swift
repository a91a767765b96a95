// A request of one's own that answers a task twice stops the program with a sentence.
import UV

enum AnsweredTwice: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let twice = Request<Int>(loop) { done in
        loop.sleep(for: .milliseconds(1)) { _ in done(.success(1)) }
        loop.sleep(for: .milliseconds(2)) { _ in done(.success(2)) }
        return PendingRequest()
      }
      _ = try await twice.value
      try await loop.sleep(for: .untilCancelled).value
    }
  }
}

// Stops:
// the completion of a request was called twice
