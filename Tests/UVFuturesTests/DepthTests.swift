#if Everything
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
}
#endif
