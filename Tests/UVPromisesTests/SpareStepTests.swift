#if Everything
import Testing
import UV
import UVPromises
import UVTestSupport

/// A thread takes the steps of its chains again, whichever loop they were of. Nobody may notice.
@Suite struct SpareStepTests {
  /// Held by a chain's handlers, and by nothing else.
  private final class Held {
    private let log: Log<Int>
    let number: Int

    init(_ number: Int, _ log: Log<Int>) { (self.number, self.log) = (number, log) }

    deinit { log.append(number) }
  }

  /// Begins chains of three steps, all at the same time, and notes what each brings.
  private static func begin(
    _ numbers: Range<Int>, from first: (Int) -> Promise<Int> = { .value($0) }, _ values: Log<Int>,
    _ gone: Log<Int>
  ) {
    for number in numbers {
      let held = Held(number, gone)
      first(number).then { Promise.value($0 + held.number) }.map { $0 + held.number }.done {
        values.append($0 - 2 * held.number)
      }.cauterize()
    }
  }

  @Test func `The steps of a loop that has ended serve the next loop of its thread`() async throws {
    try await withThread {
      for round in 0..<4 {
        let (values, gone) = (Log<Int>(), Log<Int>())
        let loop = try EventLoop()
        loop.runCallbacks { loop in Self.begin(0..<200, values, gone) }
        #expect(values.values == Array(0..<200))
        #expect(gone.values.sorted() == Array(0..<200))
        // The loop ends before these have their turn.
        let (late, left) = (Log<Int>(), Log<Int>())
        Self.begin(
          round * 100..<round * 100 + 100,
          from: { number in loop.sleep(for: .seconds(60)).promise().map { number } }, late, left)
        loop.shutdown()
        #expect(late.values == [])
        #expect(left.values.sorted() == Array(round * 100..<round * 100 + 100))
      }
    }
  }
}
#endif
