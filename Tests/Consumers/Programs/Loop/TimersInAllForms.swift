// A one-shot timer, a repeating one, and one that is stopped and started again.
import UV

enum TimersInAllForms: Program {
  static func main() throws {
    try EventLoop.runCallbacks { loop in
      let timer = try LoopTimer(loop)
      var count = 0
      try timer.start(after: .milliseconds(2), repeating: .milliseconds(3)) {
        count += 1
        guard count == 3 else { return }
        timer.stop()
        print("stopped after \(count)", timer.isActive)
        do {
          try timer.start(after: .zero) {
            print("once more")
            timer.close()
          }
        } catch { print(error) }
      }
      print(timer.repeatInterval, timer.dueIn > .zero)
      timer.repeatInterval = .milliseconds(4)
      try timer.again()

      let never = try LoopTimer(loop)
      never.keepsLoopRunning = false
      try never.start(after: .seconds(3600)) { print("never") }
      do throws(UVError) {
        try LoopTimer(loop).again()
        print("it was never started")
      } catch {
        print(error.code == .invalidArgument)
      }
    }
    print("ended")
  }
}

// Prints:
// 0.003 seconds true
// true
// stopped after 3 false
// once more
// ended
