// Work that fails is tried again: one request in any style, a piece of asynchronous code, and promises, by one policy.
import UV
import UVPromises

private struct Busy: Error {}

enum TryingAgain: Program {
  static func main() throws {
    var policy = RetryPolicy(attempts: 3, backoff: .constant(.milliseconds(1))) { error in
      (error as? UVError)?.code != .permissionDenied
    }
    print(
      policy.pause(after: Busy(), failures: 2) == .milliseconds(1),
      policy.pause(after: Busy(), failures: 3) == nil)
    policy.attempts = 4
    policy.backoff = .exponential(from: .milliseconds(1), upTo: .milliseconds(2)).jittered(0.2)
    print(policy.attempts, policy.backoff.duration(afterFailures: 9) <= .milliseconds(2))

    let fixed = policy
    try EventLoop.run { loop in
      let reading = loop.files.stat("/no/such/file").retry(fixed)
      do throws(UVError) { _ = try await reading.value } catch { print(error.name) }

      var attempts = 0
      let answer = try await loop.retry(fixed) {
        try await loop.sleep(for: .milliseconds(1)).value
        attempts += 1
        if attempts < 3 { throw Busy() }
        return "the attempt number \(attempts)"
      }
      print(answer)
    }
    EventLoop.runCallbacks { loop in
      loop.files.stat("/").retry(fixed).start { result in
        if case .success(let status) = result { print(status.type) }
        retry(fixed) { loop.files.stat("/no/such/file").promise() }
          .done { _ in print("found") }
          .catch { print(($0 as? UVError)?.name ?? "another error") }
      }
    }
  }
}

// Prints:
// true true
// 4 true
// ENOENT
// the attempt number 3
// directory
// ENOENT
