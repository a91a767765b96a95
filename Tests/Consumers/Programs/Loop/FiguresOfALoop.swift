// A loop tells how long its turns take, what it has done, and what it has to do.
import UV

enum FiguresOfALoop: Program {
  static func main() throws {
    try lagOfALoop()
    try whatALoopHasDone()
    try whatALoopHasToDo()
  }

  /// A loop tells how long its turns take, and a group adds up what its loops tell.
  private static func lagOfALoop() throws {
    try EventLoop.run { loop in
      print(loop.lag == LoopLag())
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      let end = LoopClock.Instant.now.advanced(by: .milliseconds(30))
      while LoopClock.Instant.now < end {}
      try await loop.sleep(for: .milliseconds(1)).value
      let lag = loop.lag
      print(lag.max >= .milliseconds(30), lag.percentile(100) == lag.max, lag.waitPercentile(0) == .zero)
      print(lag.count > 0, lag.mean <= lag.max, lag.busyTime <= lag.elapsedTime)
      print(lag.waitMean <= lag.max, lag.waitStandardDeviation <= lag.max, 0...1 ~= lag.utilization)
      print(loop.resetLag().count >= lag.count, loop.lag.count == 0)

      let group = try EventLoopGroup(count: 2)
      for executor in group.executors {
        try await executor.submit { loop throws(UVError) in try loop.configure(.lag) }
      }
      for executor in group.executors { try await executor.submit { _ in } }
      var sum = await group.lag()
      sum += lag
      let both = sum + lag
      print(both.count == sum.count + lag.count, "\(both)".contains("turns"))
      print(try await group.lag(on: loop).value.count >= sum.count - lag.count)
      print(await group.resetLag().max > .zero)
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  /// Counts of what a loop has done, where libuv counts it: since version 1.45.
  private static func whatALoopHasDone() throws {
    try EventLoop.run { loop in
      let before = loop.metrics
      for _ in 0..<5 { try await loop.sleep(for: .milliseconds(1)).value }
      guard let before, let after = loop.metrics else { return print("five turns or more") }
      let turns = after.turns - before.turns
      let wait = after.eventsWaiting <= after.events
      print(turns >= 5 && wait ? "five turns or more" : "only \(turns)")
    }
  }

  /// A loop tells what it has to do: its activity, its handles, its idle time.
  private static func whatALoopHasToDo() throws {
    try EventLoop.run { loop in
      try loop.configure(.idleTime)
      print(EventLoop.current === loop, loop.isRunning, loop.isAdopted, loop.isClosed)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let waiting = listener.accept { _ in }
      let sleeping = loop.sleep(for: .untilCancelled) { _ in }
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
// true
// true true true
// true true true
// true true true
// true true
// true true
// true
// true
// five turns or more
// true true false false
// true true 1 false
// true true true
// true false true
// true
// true
// true true
