// A program that does its work until a signal ends the loop in good order.
import UV

enum EndOnASignal: Program {
  static func main() throws {
    try EventLoop.run { loop in
      loop.spawn {
        do {
          try await loop.sleep(for: .milliseconds(20)).value
          try loop.processes.kill(SystemInfo.processID, .user1)
        } catch { print(error) }
      }
      let report = try await loop.shutdownGracefully(onSignals: [.user1], within: .seconds(10)).value
      print("cut off: \(report.count)")
    }
  }
}

// Prints:
// cut off: 0
