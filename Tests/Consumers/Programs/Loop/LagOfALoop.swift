// A loop tells how long its turns take, and a group adds up what its loops tell.
import UV

enum LagOfALoop: Program {
  static func main() throws {
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
