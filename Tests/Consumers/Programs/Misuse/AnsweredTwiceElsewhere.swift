// A request of one's own that answers twice a task that the loop hasn't started stops the program with a sentence.
import UV

private actor Asker {
  private let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: LoopExecutor) { self.executor = executor }

  func ask() async throws {
    guard let loop = EventLoop.current else { return }
    let twice = Request<Void>(loop) { done in
      loop.sleep(for: .milliseconds(1)) { _ in done(.success(())) }
      loop.sleep(for: .milliseconds(2)) { _ in done(.success(())) }
      return PendingRequest()
    }
    try await twice.value
    try await loop.sleep(for: .untilCancelled).value
  }
}

enum AnsweredTwiceElsewhere: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let asker = Asker(loop.executor)
      try await Task { try await asker.ask() }.value
    }
  }
}

// Stops:
// the completion of a request was called twice
