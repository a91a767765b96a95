// Signals are told to closures that are kept in an array; what nobody wants any more is stopped.
import UV

enum SignalsInAnArrayOfClosures: Program {
  static func main() throws {
    try EventLoop.runCallbacks { loop in
      var handlers: [() -> Void] = []
      for name in ["first", "second"] { handlers.append { print(name) } }
      var watchers: [SignalWatcher] = []
      for signal in [Signal.user1, .user2, .windowChange] {
        let watcher = try loop.signals(signal)
        watcher.start { result in
          guard case .success(let signal?) = result else { return }
          print(signal == watcher.signal, signal.rawValue > 0)
          handlers.forEach { $0() }
          watchers.forEach { $0.stop() }
          watchers.forEach { $0.close() }
        }
        watchers.append(watcher)
      }
      loop.sleep(for: .milliseconds(1)) { _ in
        do { try loop.processes.kill(SystemInfo.processID, .user2) } catch { print(error) }
      }
    }
    print("ended")
  }
}

// Prints:
// true true
// first
// second
// ended
