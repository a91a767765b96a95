#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

@Suite struct SourcePublisherTests {
  /// A source that produces what a test puts in, and counts how it is asked.
  final class ManualSource: EventSource {
    typealias Element = Int
    let loop: EventLoop
    private(set) var asked = 0
    private(set) var cancelled = 0
    private(set) var starts = 0
    private(set) var stops = 0
    private var waiting: Completion<Int?>?
    private var handler: Completion<Int?>?

    init(_ loop: EventLoop) { self.loop = loop }

    func next(_ done: @escaping Completion<Int?>) -> PendingRequest {
      asked += 1
      waiting = done
      return PendingRequest { [self] in
        cancelled += 1
        waiting = nil
      }
    }

    func start(_ handler: @escaping Completion<Int?>) {
      starts += 1
      self.handler = handler
    }

    func stop() {
      stops += 1
      handler = nil
    }

    func produce(_ result: Result<Int?, UVError>) {
      if let handler { return handler(result) }
      let done = waiting
      waiting = nil
      done?(result)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
      mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(UVError) -> Int? { nil }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  @Test func withoutDemandNothingIsAsked() async throws {
    try await withCallbackLoop { loop in
      let source = ManualSource(loop)
      let probe = Probe<Int, UVError>(.none)
      source.publisher().subscribe(probe)
      #expect(source.asked == 0)
      probe.request(.max(2))
      #expect(source.asked == 1)
      source.produce(.success(1))
      #expect(source.asked == 2)
      source.produce(.success(2))
      #expect(source.asked == 2)
      #expect(probe.values == [1, 2])
      probe.furtherDemand = .max(1)
      probe.request(.max(1))
      for value in 3...5 { source.produce(.success(value)) }
      #expect(source.asked == 6)
      source.produce(.success(nil))
      #expect(probe.completions == [.finished])
    }
  }

  @Test func unlimitedDemandStartsTheSource() async throws {
    try await withCallbackLoop { loop in
      let source = ManualSource(loop)
      let probe = Probe<Int, UVError>()
      source.publisher().subscribe(probe)
      #expect((source.starts, source.asked) == (1, 0))
      for value in 1...3 { source.produce(.success(value)) }
      source.produce(.failure(UVError(.connectionReset, operation: "read")))
      #expect(probe.values == [1, 2, 3])
      #expect(probe.completions == [.failure(UVError(.connectionReset, operation: "read"))])
    }
  }

  @Test func cancellingStopsAsking() async throws {
    try await withCallbackLoop { loop in
      let source = ManualSource(loop)
      let (limited, unlimited) = (Probe<Int, UVError>(.max(1)), Probe<Int, UVError>())
      source.publisher().subscribe(limited)
      limited.cancel()
      #expect(source.cancelled == 1)
      source.publisher().subscribe(unlimited)
      unlimited.cancel()
      #expect(source.stops == 1)
      source.produce(.success(1))
      #expect(limited.values + unlimited.values == [])
    }
  }

  @Test("A subscription that is refused, or whose source was stopped, leaves the handler of another alone")
  func othersHandler() async throws {
    try await withCallbackLoop { loop in
      let source = CustomSource<Int>(loop, "count") { _ in }
      var heard: [Int?] = []
      let first = Probe<Int, UVError>()
      source.publisher().subscribe(first)
      source.stop()
      source.start { if case .success(let value) = $0 { heard.append(value) } }
      let second = Probe<Int, UVError>()
      source.publisher().subscribe(second)
      // Before it is notified that there is a handler already.
      second.cancel()
      first.cancel()
      source.send(1)
      source.finish()
      loop.eventually(heard == [1, nil]) {}
    }
  }

  @Test func anEchoServerInOneChain() async throws {
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var cancellables: Set<AnyCancellable> = []
      var (received, ends): ([Bytes], Int) = ([], 0)
      listener.publisher()
        .flatMap { connection in
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { connection.write($0).publisher() }
            .map { _ in 0 }
            .handleEvents(receiveCompletion: { _ in connection.close() })
        }
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        .store(in: &cancellables)
      var client: TCPConnection?
      loop.tcp.connect(to: try listener.localAddress()).publisher()
        .flatMap { connection in
          client = connection
          return connection.write("hello").publisher().flatMap { connection.publisher() }
        }
        .sink(
          receiveCompletion: { _ in
            ends += 1
            client?.close()
            listener.close()
          },
          receiveValue: {
            received.append($0)
            client?.shutdown { _ in }
          }
        )
        .store(in: &cancellables)
      loop.eventually(received == ["hello"] && ends == 1) { _ = cancellables }
    }
  }

  @Test func aListenerWithoutDemandDoesNotAccept() async throws {
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var accepted: [TCPConnection] = []
      var subscription: (any Subscription)?
      listener.publisher().subscribe(
        AnySubscriber<TCPConnection, UVError>(
          receiveSubscription: { subscription = $0 },
          receiveValue: {
            accepted.append($0)
            return .none
          }))
      var clients: [TCPConnection] = []
      for _ in 0..<3 {
        loop.tcp.connect(to: try listener.localAddress()) { clients.append(try! $0.get()) }
      }
      loop.eventually(clients.count == 3 && accepted.isEmpty) { subscription?.request(.max(2)) }
      loop.eventually(accepted.count == 2) {
        subscription?.cancel()
        for connection in accepted + clients { connection.close() }
        listener.close()
      }
    }
  }

  @Test func `A source is not read for a flatMap that a child has failed`() async throws {
    try await withCallbackLoop { loop in
      let source = ManualSource(loop)
      let probe = Probe<Int, UVError>()
      let error = UVError(.cancelled, operation: "test")
      source.publisher().flatMap { _ in Fail<Int, UVError>(error: error) }.subscribe(probe)
      source.produce(.success(1))
      #expect(probe.completions == [.failure(error)])
      #expect(source.stops == 1)
    }
  }
}
#endif
