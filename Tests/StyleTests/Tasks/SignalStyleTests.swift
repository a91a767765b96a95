#if Everything
import Testing
import UV
import UVTestSupport

/// A wait for a semaphore, a condition or a drain ends once, and in the same way, in every style.
@Suite struct SignalStyleTests {
  @Test("A signal ends the wait", arguments: Style.allCases)
  func signal(style: Style) async throws {
    try await withLoop { loop in
      let (semaphore, condition) = (LoopSemaphore(loop, value: 1), LoopCondition(loop))
      let channel = CustomSource<Int>(loop, "channel")
      try await loop.expectEnd(nil, style, semaphore.wait())
      channel.send(1)
      let log = Log<UVError.Code?>()
      let cancels = [semaphore.wait(), condition.wait(), channel.drain()].map {
        style.start($0, on: loop, log)
      }
      try await loop.settle()
      #expect(log.values == [])
      semaphore.signal()
      condition.signal()
      #expect(try await channel.next().value == 1)
      try await loop.settle { log.values == [nil, nil, nil] }
      withExtendedLifetime(cancels) {}
    }
  }

  @Test("A cancelled wait takes no signal", arguments: Style.allCases)
  func cancel(style: Style) async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 0)
      let log = Log<UVError.Code?>()
      let cancel = style.start(semaphore.wait(), on: loop, log)
      try await loop.settle()
      cancel()
      semaphore.signal()
      try await loop.settle { semaphore.value == 1 }
      // A subscriber that goes hears nothing.
      #expect(log.values == (style == .publisher || style == .future ? [] : [.cancelled]))
    }
  }
}
#endif
