import Testing
import UV
import UVFutures
import UVTestSupport

/// Chains a million long take no stack: neither to subscribe, nor to deliver, nor to let go.
@Suite struct DepthTests {
  // A tenth of it overflows any stack, too, and takes a debug build a second and not ten.
  #if DEBUG
    private static let depth = 100_000
  #else
    private static let depth = 1_000_000
  #endif

  private func countdown(_ number: Int) -> AnyPublisher<Int, Never> {
    let future = Future<Int, Never> { $0(.success(number)) }
    if number == 0 { return future.eraseToAnyPublisher() }
    return future.flatMap { self.countdown($0 - 1) }.eraseToAnyPublisher()
  }

  @Test func flatMapMayRecur() async throws {
    try await withCallbackLoop { _ in
      var values: [Int] = []
      var ends = 0
      let token = self.countdown(Self.depth)
        .sink(receiveCompletion: { _ in ends += 1 }, receiveValue: { values.append($0) })
      #expect(values == [0])
      #expect(ends == 1)
      token.cancel()
    }
  }

  @Test func aPendingRecursionMayBeCancelled() async throws {
    try await withCallbackLoop { _ in
      var promise: Future<Int, Never>.Promise?
      func countdown(_ number: Int) -> AnyPublisher<Int, Never> {
        if number == 0 { return Future { promise = $0 }.eraseToAnyPublisher() }
        return Future<Int, Never> { $0(.success(number)) }.flatMap { countdown($0 - 1) }.eraseToAnyPublisher()
      }
      let token = LoopPublishers.Map(upstream: countdown(Self.depth)) { $0 }.sink { _ in
        Issue.record("a value")
      }
      #expect(promise != nil)
      token.cancel()
      promise?(.success(1))
    }
  }

  @Test func anErasedChainMayBeLong() async throws {
    try await withCallbackLoop { _ in
      var promise: Future<Int, Never>.Promise?
      var chain = Future<Int, Never> { promise = $0 }.eraseToAnyLoopPublisher()
      for _ in 0..<Self.depth { chain = chain.map { $0 + 1 }.eraseToAnyLoopPublisher() }
      var values: [Int] = []
      let first = chain.sink { values.append($0) }
      #expect(values == [])
      promise?(.success(0))
      #expect(values == [Self.depth])
      // Subscribed to when the value is there.
      let second = chain.sink { values.append($0) }
      #expect(values == [Self.depth, Self.depth])
      _ = (first, second)
    }
  }

  @Test func aChainOfRxStreamsOperatorsMayBeLong() async throws {
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

  @Test func promisesThatResolveEachOtherMayBeMany() async throws {
    try await withCallbackLoop { _ in
      var first: Future<Int, Never>.Promise?
      var last = Future<Int, Never> { first = $0 }
      var cancellables: [AnyCancellable] = []
      for _ in 0..<Self.depth {
        let previous = last
        last = Future { promise in cancellables.append(previous.sink { promise(.success($0 + 1)) }) }
      }
      var value = 0
      cancellables.append(last.sink { value = $0 })
      first?(.success(0))
      #expect(value == Self.depth)
    }
  }

  @Test("A retry at the end of a long chain of stream promises takes no stack")
  func aRetryAtTheEndOfALongChain() async throws {
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

  @Test("Progress through a long chain takes no stack, nor does its cancellation")
  func progressMayGoThroughALongChain() async throws {
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
