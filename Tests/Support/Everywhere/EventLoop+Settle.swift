public import Testing
public import UV

extension EventLoop {
  /// Waits for what is to happen: asks each millisecond. After twenty seconds the test has failed.
  public nonisolated(nonsending) func until(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
  ) async throws(UVError) {
    let end = clock.now.advanced(by: .seconds(20))
    while clock.now < end {
      if condition() { return }
      try await sleep(for: .milliseconds(1)).value
    }
    Issue.record("what was waited for hasn't happened", sourceLocation: sourceLocation)
  }

  /// Lets the loop go round until `isDone`, and a few times more, in which nothing else is to happen.
  public nonisolated(nonsending) func settle(until isDone: () -> Bool = { true }) async throws(UVError) {
    while !isDone() { try await sleep(for: .milliseconds(1)).value }
    for _ in 0..<10 { try await sleep(for: .zero).value }
  }

  /// How often the loop looks for events in a time in which nothing is to happen; 0 where that can't be
  /// counted.
  public nonisolated(nonsending) func turns(in time: Duration) async throws(UVError) -> Int {
    let before = Hooks.loopTurns ?? 0
    try await sleep(for: time).value
    return (Hooks.loopTurns ?? 0) - before
  }
}
