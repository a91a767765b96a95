#if Everything
import Foundation
import Testing
import UV
import UVRxStream
import UVTestSupport

/// Streams and futures that the program feeds, on a loop that leaves its host.
@Suite struct FedStreamTests {
  enum Root: CaseIterable {
    case future, input, promise, branches, progression, hot, producer, observable, step
  }

  /// Makes what the program feeds, and hands over what it feeds that with.
  private static func make(_ root: Root, _ keep: @escaping (Any) -> Void) {
    switch root {
    case .future: keep(Future<Int, Never> { keep($0) })
    case .input: keep(FutureInput<Int, Never>())
    case .promise: keep(StreamPromise<Int, Never> { _, done in keep(done) })
    case .branches:
      var isFirst = true
      let promise = StreamPromise<Int, Trouble> { _, done in
        if isFirst { done(.failure(.first)) } else { keep(done) }
        isFirst = false
      }
      for _ in 0..<2 { keep(promise.retry(1)) }
    case .progression: keep(ProgressionInput<Int, Int, Never>())
    case .hot: keep(HotInput<Int, Never>())
    case .producer: keep(HotProducer<Int, Never> { keep($0) })
    case .observable: keep(ObservableInput<Int, Never>(1))
    case .step:
      let input = HotInput<Int, Never>()
      keep(input.asyncMap { (_: Int, done: @escaping (Result<Int, Never>?) -> Void) in keep(done) })
      input.push(1)
      input.terminate()
    }
  }

  @Test(
    "A loop leaves its host though the program holds what feeds a stream or future", arguments: Root.allCases)
  func leaving(root: Root) async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      var kept: [Any] = []
      loop.queueMicrotask { Self.make(root) { kept.append($0) } }
      for _ in 0..<5 { host.turn() }
      #expect(!kept.isEmpty)
      loop.detach { _ in log.append("left") }
      for _ in 0..<5 { host.turn() }
      try #require(log.values == ["left"])
      kept = []
      #expect(host.close() == 0)
    }
  }
}
#endif
