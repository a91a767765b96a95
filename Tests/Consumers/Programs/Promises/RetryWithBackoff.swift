// Work is tried again, with a pause that grows, while a condition says so.
import UV
import UVPromises

enum RetryWithBackoff: Program {
  struct Busy: Error { var attempt: Int }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      var attempts = 0
      retry(
        attempts: 5, delay: .exponential(from: .milliseconds(1), by: 2, upTo: .milliseconds(4)).jittered()
      ) {
        () -> Promise<String> in
        attempts += 1
        guard attempts == 3 else { throw Busy(attempt: attempts) }
        return .value("the attempt number \(attempts)")
      }.done { print($0) }.catch { print($0) }.finally {
        retry(attempts: 3, delay: .none) { attemptsLeft, error in
          print("attempts left: \(attemptsLeft)")
          return attemptsLeft > 1
        } _: {
          Promise<Void>(error: Busy(attempt: 0))
        }.done { print("done") }.catch { print($0) }.finally {
          attempt(maximumRetryCount: 2, delayBeforeRetry: .milliseconds(1)) {
            loop.files.stat("/nowhere").promise()
          }.done { _ in print("found") }.catch { print($0) }
        }
      }
      print(Backoff.constant(.seconds(1)).duration(afterFailures: 7))
      print(Backoff { .milliseconds($0) }.duration(afterFailures: 3))
    }
  }
}

// Prints:
// 1.0 seconds
// 0.003 seconds
// the attempt number 3
// attempts left: 2
// attempts left: 1
// Busy(attempt: 0)
// fs_stat /nowhere: no such file or directory (ENOENT)
