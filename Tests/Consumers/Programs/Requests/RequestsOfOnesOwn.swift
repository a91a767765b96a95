// A request of one's own works in every style, and is mapped, cancelled and timed like the library's.
import UV
import UVFutures
import UVPromises

extension EventLoop {
  fileprivate func countdown(from start: Int) -> Request<String> {
    Request(self) { done in
      var remaining = start
      let ticks = self.ticks(every: .milliseconds(1))
      ticks.start { result in
        if case .failure(let error) = result { return done(.failure(error)) }
        remaining -= 1
        guard remaining == 0 else { return }
        ticks.stop()
        done(.success("lift-off"))
      }
      return PendingRequest {
        ticks.stop()
        done(.failure(UVError(.cancelled, operation: "countdown")))
      }
    }
  }

  fileprivate func nextTurn() -> Request<Void> {
    Request(self) { done in
      self.queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
  }
}

enum RequestsOfOnesOwn: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    try EventLoop.run { loop in
      try await loop.nextTurn().value
      print(try await loop.countdown(from: 2).value)
      print(try await loop.countdown(from: 2).map(\.count).value)
      print(loop.countdown(from: 1).loop === loop)
      do throws(UVError) {
        _ = try await loop.countdown(from: 1_000_000).timeout(after: .milliseconds(10)).value
      } catch {
        print(error.name)
      }
    }
    EventLoop.runCallbacks { loop in
      loop.countdown(from: 2).promise().done { print("promise: \($0)") }.cauterize().finally {
        loop.countdown(from: 2).publisher().sink(receiveCompletion: { _ in }) { print("publisher: \($0)") }
          .store(in: &subscriptions)
        loop.countdown(from: 20).future().sink(receiveCompletion: { _ in }) { print("future: \($0)") }
          .store(in: &subscriptions)
      }
      let pending = loop.countdown(from: 1_000_000).start { print($0) }
      loop.sleep(for: .milliseconds(100)) { _ in pending.cancel() }
    }
  }
}

// Prints:
// lift-off
// 8
// true
// ETIMEDOUT
// promise: lift-off
// publisher: lift-off
// future: lift-off
// failure(countdown: operation canceled (ECANCELED))
