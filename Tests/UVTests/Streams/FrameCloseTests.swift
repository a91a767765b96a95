import Testing
import UV
import UVTestSupport

/// Apart from the other tests of frames, which run in the simulation too: this one uses what the package
/// keeps to itself.
@Suite struct FrameCloseTests {
  @Test("A frame that is about to be answered when its stream closes is answered once, with an error")
  func closedBeforeItIsTold() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\ntwo\n").value
      #expect(try await near.readLine(limit: 5).value == "one")
      let log = Log<Bool>()
      // The turn's budget is used up, so that the answer waits until the next one.
      _ = loop.payForCall(1 << 24)
      near.readLine(limit: 5) { log.append($0.error != nil) }
      try await near.close().value
      try await loop.settle()
      #expect(log.values == [true])
    }
  }
}
