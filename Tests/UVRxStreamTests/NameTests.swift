import Testing
import UV
import UVRxStream

#if DEBUG
@Suite struct ForsakenTests {
  @Test("A loop that ends before its futures have been completed names them, in debug builds")
  func namesOfForsakenFutures() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      var kept: [Any] = []
      EventLoop.runCallbacks { loop in
        kept.append(Future<Int, Never> { kept.append($0) })
        kept.append(FutureInput<Bool, Never>())
        let settled = FutureInput<Double, Never>()
        settled.complete(1)
        kept.append(settled)
        loop.queueMicrotask { loop.stop() }
      }
      withExtendedLifetime(kept) {}
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      output.contains("has ended before a result came for: Future<Int, Never>, FutureInput<Bool, Never>\n"))
  }
}
#endif
