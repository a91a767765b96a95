extension EventLoop {
  /// How long the loop's turns have taken since it began to measure. There are none without the option
  /// ``LoopOption/lag``. Call it on the loop's thread. The turn that is running isn't counted yet.
  ///
  /// ```swift
  /// try loop.configure(.lag)
  /// …
  /// print(loop.lag.percentile(99), loop.lag.max)
  /// ```
  ///
  /// The value is a copy that you can keep and send anywhere. Complexity: O(1), a copy of 8 KiB.
  public var lag: LoopLag {
    assertOnLoop()
    return watching.turns?.lag?.value ?? LoopLag()
  }

  /// Begins to measure anew. Call it on the loop's thread.
  ///
  /// - Returns: What has been measured since the loop began to measure, or since the last reset.
  @discardableResult
  public func resetLag() -> LoopLag {
    assertOnLoop()
    let lag = lag
    watching.turns?.lag?.reset()
    return lag
  }

  func measureLag() {
    if watching.turns?.lag == nil { watchTurns { $0.lag = LagMeter() } }
  }
}
