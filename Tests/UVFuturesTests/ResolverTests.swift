#if Everything
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

@Suite struct ResolverTests {
  /// What the loop does in the stress: makes futures, hands their resolvers to another thread, and
  /// subscribes.
  private final class Stress {
    private let loop: EventLoop
    private let rounds: Int
    private let batch = 1000
    private var cancellables: [AnyCancellable] = []
    private var begun = 0
    private var heard = 0
    private var sum = 0
    private let done: (_ heard: Int, _ sum: Int) -> Void

    init(_ loop: EventLoop, rounds: Int, done: @escaping (_ heard: Int, _ sum: Int) -> Void) {
      self.loop = loop
      self.rounds = rounds
      self.done = done
    }

    func run() {
      guard begun < rounds else { return done(heard, sum) }
      let pairs = (0..<batch).map { _ in Future<Int, Never>.pending(on: loop) }
      let resolvers = pairs.map(\.resolver)
      let first = begun
      begun += batch
      // Two threads resolve the same futures, from both ends, while this one subscribes.
      for reverses in [false, true] {
        DispatchQueue.global().async {
          for index in resolvers.indices {
            let index = reverses ? resolvers.count - 1 - index : index
            resolvers[index](.success(first + index))
          }
        }
      }
      cancellables.removeAll(keepingCapacity: true)
      for pair in pairs {
        pair.future.map { $0 + 1 }.sink { [self] value in
          heard += 1
          sum += value
          if heard == begun { loop.queueMicrotask { [self] in run() } }
        }
        .store(in: &cancellables)
      }
    }
  }

  @Test func `A million futures resolved by other threads while this one subscribes`() async throws {
    // A tenth of it in a usual run; all of it with the variable UV_STRESS set.
    let rounds = ProcessInfo.processInfo.environment["UV_STRESS"] == nil ? 100_000 : 1_000_000
    let results = Log<(heard: Int, sum: Int)>()
    try await withCallbackLoop { loop in
      let stress = Stress(loop, rounds: rounds) { results.append(($0, $1)) }
      stress.run()
    }
    #expect(results.values.first?.heard == rounds)
    #expect(results.values.first?.sum == rounds * (rounds + 1) / 2)
  }

  @Test func aResolverMayBeLetGoUnused() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let future = Future<Int, Never>(on: loop) { resolver in
        DispatchQueue.global().async { withExtendedLifetime(resolver) {} }
      }
      let token = future.sink { _ in log.append("value") }
      loop.queueMicrotask { _ = token }
    }
    // The loop has ended: nothing waits for what cannot come.
    #expect(log.values == [])
  }

  @Test func aResolverOutlivesItsLoop() async throws {
    let log = Log<FutureResolver<Int, Never>>()
    try await withCallbackLoop { loop in
      let (future, resolver) = Future<Int, Never>.pending(on: loop)
      log.append(resolver)
      resolver(.success(1))
      var value = 0
      future.sink { value = $0 }.cancel()
      #expect(value == 1)
    }
    log.values.first?(.success(2))
  }

  @Test func theFirstResultCounts() async throws {
    try await withLoop { loop in
      let future = Future<Int, Trouble>(on: loop) { resolver in
        resolver(.success(1))
        resolver(.failure(.first))
      }
      let value = try await future.value
      #expect(value == 1)
    }
  }
}
#endif
