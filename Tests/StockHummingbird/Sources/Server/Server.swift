import Foundation
import Hummingbird
import StallWatch

/// `GET /` answers at once, `GET /sleep` waits without blocking, and `GET /stall` blocks its thread for 50 ms.
@main struct Server {
  static func main() async throws {
    let router = Router()
    router.get("/") { _, _ in "hello\n" }
    router.get("/sleep") { _, _ in
      try await Task.sleep(for: .milliseconds(200))
      return "awake\n"
    }
    router.get("/stall") { _, _ in resizePicture() }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { say("port \($0.localAddress?.port ?? 0)") })

    let executor = try WatchedTaskExecutor("requests", longerThan: .milliseconds(45)) { stall in
      say("\(stall.name): \(stall.function ?? "something") blocks")
    }
    try await withTaskExecutorPreference(executor) { try await application.runService() }
    say("ended, \(executor.count) stalls")
  }
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// The planted stall.
@inline(never)
func resizePicture() -> String {
  let end = ContinuousClock.now + .milliseconds(50)
  var number: UInt64 = 1
  while ContinuousClock.now < end { number = number &* 6_364_136_223_846_793_005 &+ 1 }
  return "\(number)\n"
}
