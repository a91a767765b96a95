import Testing
import UV
import UVRxStream
import UVTestSupport

/// Chains a million long take no stack: neither to deliver, nor to let go.
@Suite struct DepthTests {
  // A tenth of it overflows any stack, too, and takes a debug build a second and not ten.
  #if DEBUG
  private static let depth = 100_000
  #else
  private static let depth = 1_000_000
  #endif

  @Test func aChainMayBeLong() async throws {
    try await withCallbackLoop { _ in
      let input = FutureInput<Int, Never>()
      var chain: Future<Int, Never> = input
      var ends = 0
      for _ in 0..<Self.depth { chain = chain.resultMap { .success($0 + 1) } }
      var value = 0
      chain.on { value = $0 }.onTerminate { _ in ends += 1 }
      input.complete(0)
      #expect(value == Self.depth)
      #expect(ends == 1)
    }
  }

  @Test func aChainThatIsNeverFilledMayBeLong() async throws {
    try await withCallbackLoop { _ in
      var ended: [Termination<Never>] = []
      var input: FutureInput<Int, Never>? = FutureInput()
      var chain: Future<Int, Never> = input!
      for _ in 0..<Self.depth { chain = chain.on { _ in } }
      chain.onTerminate { ended.append($0) }
      input = nil
      #expect(ended == [.cancelled])
      // One whose end nobody hears.
      var promise: Future<Int, Never>.Promise?
      chain = Future { promise = $0 }
      for _ in 0..<Self.depth { chain = chain.on { _ in } }
      promise = nil
      chain = .completed(1)
      _ = promise
    }
  }

  @Test func `A retry at the end of a long chain of stream promises takes no stack`() async throws {
    try await withCallbackLoop { _ in
      var (runs, ends, values) = (0, 0, [Int]())
      var chain = StreamPromise<Int, Trouble> { _, done in
        runs += 1
        done(runs < 3 ? .failure(.first) : .success(0))
      }
      for _ in 0..<Self.depth { chain = chain.resultMap { .success($0 + 1) } }
      chain.retry(3).on { values.append($0) }.onTerminate { _ in
        ends += 1
        #expect(runs == 3)
        #expect(values == [Self.depth])
      }
    }
  }

  @Test func `Progress through a long chain takes no stack, nor does its cancellation`() async throws {
    try await withCallbackLoop { _ in
      let input = ProgressionInput<Int, Int, Never>()
      var chain: Progression<Int, Int, Never> = input
      for _ in 0..<Self.depth {
        chain = chain.mapProgress {
          ProgressEvent(title: $0.title, unit: $0.unit, current: $0.current + 1, total: $0.total)
        }
      }
      var current = 0
      chain.onProgress { current = $0.current }
      input.updateProgress(ProgressEvent(title: "", unit: "", current: 0, total: 0))
      #expect(current == Self.depth)
      chain.cancel()
      #expect(!input.isActive)
    }
  }
}
