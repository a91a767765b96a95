import Testing
import UV
import UVTestSupport

@Suite struct GreedySourceTests {
  @Test func `A handler that sends another element for each leaves the timers their turn`() async throws {
    let counts = Log<Int>()
    try await withCallbackLoop { loop in
      var count = 0
      let source = CustomSource<Int>(loop, "test") { $0.send(0) }
      loop.sleep(for: .milliseconds(5)) { _ in source.finish() }
      source.start { result in
        guard case .success(let number?) = result else { return counts.append(count) }
        #expect(number == count)
        count += 1
        // So that the test ends if the timer never comes.
        if count == 20_000_000 { source.finish() } else { source.send(number + 1) }
      }
    }
    #expect(counts.values.count == 1 && counts.values[0] < 20_000_000)
  }
}
