#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A `flatMap` has as many publishers at a time as it may have, asks for the next one when one has ended, and cancels those
/// that are left at its own end.
@Suite struct FlatMapRoomTests {
  enum Form: CaseIterable, Sendable {
    case source, erasedFuture, future, request, mappedRequest, erasedRequest
  }

  /// What has been made of numbers, and can be ended.
  private final class Bench {
    let loop: EventLoop
    let numbers = AskedSource<Int, UVError>()
    private(set) var made = 0
    var open: [(number: Int, end: (Result<Int, UVError>) -> Void)] = []
    var cancelled: Set<Int> = []

    init(_ loop: EventLoop) { self.loop = loop }

    private func request(_ number: Int) -> Request<Int> {
      made += 1
      return Request(loop, operation: "test") { done in
        self.open.append((number, done))
        return PendingRequest { self.cancelled.insert(number) }
      }
    }

    private func source(_ number: Int) -> AnyLoopPublisher<Int, UVError> {
      made += 1
      let source = AskedSource<Int, UVError>()
      open.append(
        (
          number,
          { result in
            switch result {
            case .success(let value):
              source.send(value)
              source.send(completion: .finished)
            case .failure(let error): source.send(completion: .failure(error))
            }
          }
        ))
      return source.handleEvents(receiveCancel: { self.cancelled.insert(number) }).eraseToAnyLoopPublisher()
    }

    func publisher(_ form: Form, _ most: Subscribers.Demand) -> AnyLoopPublisher<Int, UVError> {
      let numbers = numbers.eraseToAnyLoopPublisher()
      return switch form {
      case .source: numbers.flatMap(maxPublishers: most) { self.source($0) }.eraseToAnyLoopPublisher()
      case .future:
        numbers.flatMap(maxPublishers: most) { self.request($0).future() }.eraseToAnyLoopPublisher()
      case .erasedFuture:
        numbers.flatMap(maxPublishers: most) { self.request($0).future().eraseToAnyLoopPublisher() }
          .eraseToAnyLoopPublisher()
      case .request:
        numbers.flatMap(maxPublishers: most) { self.request($0).publisher() }.eraseToAnyLoopPublisher()
      case .mappedRequest:
        numbers.flatMap(maxPublishers: most) { self.request($0).publisher().map { $0 } }
          .eraseToAnyLoopPublisher()
      case .erasedRequest:
        numbers.flatMap(maxPublishers: most) { self.request($0).publisher().eraseToAnyLoopPublisher() }
          .eraseToAnyLoopPublisher()
      }
    }
  }

  @Test(
    "As many are under way as there may be, and the next begins when one has ended", arguments: Form.allCases,
    1...4)
  func room(form: Form, most: Int) async throws {
    try await withCallbackLoop { loop in
      for seed in 0..<30 {
        let draws = Draws(UInt64(seed))
        let bench = Bench(loop)
        let probe = Probe<Int, UVError>()
        bench.publisher(form, .max(most)).subscribe(probe)
        var (sent, ended) = (0, [Int]())
        for _ in 0..<30 {
          if draws.draw(2) == 0 {
            sent += 1
            bench.numbers.send(sent)
          } else if !bench.open.isEmpty {
            let (number, end) = bench.open.remove(at: draws.draw(bench.open.count))
            ended.append(number)
            end(.success(number))
          }
          #expect(bench.made == min(sent, ended.count + most), "seed \(seed)")
          #expect(bench.numbers.waitingCount == sent - bench.made)
          #expect(probe.values == ended, "seed \(seed)")
        }
        bench.numbers.send(completion: .finished)
        while !bench.open.isEmpty {
          #expect(probe.completions.isEmpty)
          let (number, end) = bench.open.removeFirst()
          ended.append(number)
          end(.success(number))
        }
        #expect(probe.values == ended && ended.count == sent && bench.cancelled.isEmpty)
        #expect(probe.completions == [.finished])
      }
    }
  }

  enum End: CaseIterable, Sendable { case cancelled, cancelledInValue, innerError, outerError }

  @Test(
    "At its end those that are left are cancelled, each once, and nothing more comes",
    arguments: Form.allCases, End.allCases)
  func ends(form: Form, end: End) async throws {
    try await withCallbackLoop { loop in
      for count in 2...4 {
        for first in 0..<count {
          let bench = Bench(loop)
          let probe = Probe<Int, UVError>()
          bench.publisher(form, .unlimited).subscribe(probe)
          for number in 0..<count { bench.numbers.send(number) }
          let error = UVError(.protocolError, operation: "test")
          if end == .cancelledInValue { probe.onValue = { [unowned probe] _ in probe.cancel() } }
          switch end {
          case .cancelled: probe.cancel()
          case .outerError: bench.numbers.send(completion: .failure(error))
          case .innerError: bench.open.remove(at: first).end(.failure(error))
          case .cancelledInValue: bench.open.remove(at: first).end(.success(first))
          }
          // A source has a value before its end.
          let isOneDone = end == .innerError || end == .cancelledInValue && form != .source
          let left = Set(0..<count).subtracting(isOneDone ? [first] : [])
          #expect(bench.cancelled == left, "\(form) \(end) \(first) of \(count)")
          let heard = probe.heard
          for (number, end) in bench.open { end(.success(number)) }
          bench.numbers.send(9)
          #expect(probe.heard == heard)
          #expect(probe.completions == (end == .innerError || end == .outerError ? [.failure(error)] : []))
          #expect(bench.made == count)
        }
      }
    }
  }
}
#endif
