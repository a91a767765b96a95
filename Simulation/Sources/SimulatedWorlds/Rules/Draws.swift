import UV

extension EventLoop {
  /// Waits until nothing is open but the body of the run. Throws if that doesn't come.
  package nonisolated(nonsending) func expectNothingOpen() async throws {
    for _ in 0..<5000 {
      let now = statistics
      if now.handles == 0, now.requests == 0, now.timers == 0, now.tasks == 1 { return }
      try await sleep(for: .milliseconds(100)).value
    }
    throw Violation("left open: \(snapshot())")
  }

  /// A number below `bound`, from the host's random bytes, and so from the seed.
  func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound) }

  /// True once in so many times.
  func isDrawn(oneIn count: Int) -> Bool { draw(count) == 0 }

  /// Waits for a short while, or not at all.
  nonisolated(nonsending) func dawdle() async throws(UVError) {
    switch draw(4) {
    case 0: try await sleep(for: .microseconds(Int64(draw(3000)))).value
    case 1: try await sleep(for: .milliseconds(Int64(draw(400)))).value
    default: break
    }
  }
}

/// Expects that something is so.
package func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
  if !isTrue { throw Violation(text()) }
}
