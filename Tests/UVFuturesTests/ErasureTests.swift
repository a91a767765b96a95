#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// `eraseToAnyLoopPublisher()` behind every operator.
@Suite struct ErasureTests {
  @Test("What Combine's own operators return becomes a loop publisher again, and delivers on the loop")
  func erased() async throws {
    try await withCallbackLoop { loop in
      let future = Future<Int, Never> { $0(.success(1)) }
      let pause = loop.sleep(for: .zero).map { 2 }.publisher()
      let numbers: [(String, AnyLoopPublisher<Int, Never>)] = [
        ("last", future.last().eraseToAnyLoopPublisher()),
        ("replaceEmpty", future.replaceEmpty(with: 0).eraseToAnyLoopPublisher()),
        ("append", future.append(5).eraseToAnyLoopPublisher()),
        ("filter", future.filter { $0 > 0 }.eraseToAnyLoopPublisher()),
        ("prefix", future.prefix(1).eraseToAnyLoopPublisher()),
        ("retry", pause.retry(1).replaceError(with: 0).eraseToAnyLoopPublisher()),
        ("subject", PassthroughSubject<Int, Never>().prepend(7).eraseToAnyLoopPublisher()),
      ]
      let groups: AnyLoopPublisher<[Int], Never> = future.collect().eraseToAnyLoopPublisher()
      let nothing: AnyLoopPublisher<Never, Never> = future.ignoreOutput().eraseToAnyLoopPublisher()
      var log: [String] = []
      var tokens: Set<AnyCancellable> = []
      for (name, publisher) in numbers {
        publisher.sink {
          log.append("\(name) \($0)")
          #expect(loop.executor.isOnLoop)
        }
        .store(in: &tokens)
      }
      groups.sink { log.append("collect \($0)") }.store(in: &tokens)
      nothing.sink {
        log.append("ignoreOutput \($0)")
      } receiveValue: { _ in
      }.store(in: &tokens)
      loop.eventually(
        log.sorted() == [
          "append 1", "append 5", "collect [1]", "filter 1", "ignoreOutput finished", "last 1", "prefix 1",
          "replaceEmpty 1", "retry 2", "subject 7",
        ]
      ) {
        tokens = []
      }
    }
  }

  @Test("A subject behind an operator that is erased is heard on the loop, whatever thread sends")
  func erasedSubject() async throws {
    let log = Log<Bool>()
    try await withCallbackLoop { loop in
      let subject = Box(PassthroughSubject<Int, Never>())
      var token: AnyCancellable? = subject.value!.filter { $0 > 0 }.eraseToAnyLoopPublisher()
        .sink { _ in log.append(loop.executor.isOnLoop) }
      loop.work { subject.value!.send(1) }.start { _ in }
      // The value may come to the loop after the end of the work.
      loop.eventually(!log.values.isEmpty) { token = nil }
      _ = token
    }
    #expect(log.values == [true])
  }
}
#endif
