// A loop tells what it has to do: its activity, its handles, its idle time.
import UV

enum WhatALoopHasToDo: Program {
  static func main() throws {
    try EventLoop.run { loop in
      try loop.configure(.idleTime)
      print(EventLoop.current === loop, loop.isRunning, loop.isAdopted, loop.isClosed)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let waiting = listener.accept { _ in }
      let sleeping = loop.sleep(for: .seconds(60)) { _ in }
      let activity = loop.activity
      print(activity.handles >= 1, activity.timers >= 1, activity.tasks, activity.isIdle)
      print(activity.requests >= 0, activity.jobsFromLoop >= 0, activity.jobsFromOtherThreads >= 0)
      let handle = loop.handles.first { $0.type == .tcp }
      print(handle?.isActive ?? false, handle?.isClosing ?? true, handle?.keepsLoopRunning ?? false)
      print(handle?.fileDescriptor == (try listener.fileDescriptor()))
      waiting.cancel()
      sleeping.cancel()
      try await loop.sleep(for: .milliseconds(5)).value
      print(loop.idleTime > .zero)
      loop.updateTime()
      let before = loop.now
      print(before <= loop.clock.now, before.duration(to: loop.clock.now) < .seconds(5))
      listener.close()
    }
  }
}

// Prints:
// true true false false
// true true 1 false
// true true true
// true false true
// true
// true
// true true
