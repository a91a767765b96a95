import Testing
import UV
import UVPromises
import UVTestSupport

/// The order of inline handlers where a dispatcher runs a handler on the loop's thread at once.
@Suite struct InlineOrderTests {
  private struct Immediately: Dispatcher {
    func dispatch(_ body: @escaping @Sendable () -> Void) { body() }
  }

  /// How the handler that makes others is run.
  enum Way: CaseIterable {
    case inline, dispatched
  }

  @Test(arguments: Way.allCases)
  func `An inline handler that becomes due within another runs right after it, not within it`(way: Way)
    async throws
  {
    try await program(logs: ["begin", "end", "inner", "outer"]) { _, log in
      @Sendable func work() -> Int {
        log("begin")
        Promise.value(1).map(on: nil) { _ in log("inner") }.cauterize()
        log("end")
        return 1
      }
      let begun = Promise.value(0)
      switch way {
      case .inline: begun.map(on: nil) { _ in work() }.done(on: nil) { _ in log("outer") }.cauterize()
      case .dispatched:
        begun.map(on: Immediately()) { _ in work() }.done(on: nil) { _ in log("outer") }.cauterize()
      }
    }
  }
}
