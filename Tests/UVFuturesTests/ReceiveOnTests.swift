#if Everything
import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// A loop's publisher moves to a queue, and back.
@Suite struct ReceiveOnTests {
  private static let queue = DispatchQueue(label: "moved")

  @Test("What goes to a queue and comes back is heard though nothing else keeps the loop running")
  func thereAndBack() async throws {
    let heard = Log<String>()
    let token = Box<AnyCancellable>(nil)
    try await withCallbackLoop { loop in
      token.value = loop.files.stat("/").publisher()
        .receive(on: Self.queue)
        .map { _ in
          usleep(10_000)
          return loop.executor.isOnLoop
        }
        .receive(on: loop)
        .sink { _ in
          heard.append("end \(loop.executor.isOnLoop)")
        } receiveValue: {
          heard.append("made \($0), heard \(loop.executor.isOnLoop)")
        }
    }
    #expect(heard.values == ["made false, heard true", "end true"])
  }

  /// What stands between the loop and the queue.
  enum Step: CaseIterable, Sendable {
    case filter, tryMap, replaceError, deferred, erased, collected, twoQueues
  }

  @Test(
    "Behind any publisher, what goes to a queue and comes back is heard though nothing else keeps the loop running",
    arguments: Step.allCases)
  func anyPublisher(step: Step) async throws {
    for _ in 0..<20 {
      let heard = Log<Bool>()
      let token = Box<AnyCancellable>(nil)
      try await withCallbackLoop { loop in
        let stat = loop.files.stat("/").publisher().map { $0.size }
        func thereAndBack(_ publisher: some Publisher<Int64, some Error>) -> AnyCancellable {
          publisher.receive(on: Self.queue)
            .map { value in
              usleep(500)
              return value
            }
            .receive(on: loop)
            .sink { _ in
            } receiveValue: { _ in
              heard.append(loop.executor.isOnLoop)
            }
        }
        token.value =
          switch step {
          case .filter: thereAndBack(stat.filter { _ in true })
          case .tryMap: thereAndBack(stat.tryMap { $0 })
          case .replaceError: thereAndBack(stat.replaceError(with: 0))
          case .deferred: thereAndBack(Deferred { Future<Int64, Never> { $0(.success(1)) } })
          case .erased: thereAndBack(stat.eraseToAnyPublisher())
          case .collected: thereAndBack(stat.collect().map { $0[0] })
          case .twoQueues:
            thereAndBack(
              stat.receive(on: DispatchQueue.global()).filter { _ in true }.receive(on: Self.queue))
          }
      }
      #expect(heard.values == [true])
    }
  }

  @Test("A queue that asks for one value at a time gets all, and then the loop ends", .timeLimit(.minutes(1)))
  func oneAtATime() async throws {
    let heard = Log<Int>()
    let token = Box<AnyCancellable>(nil)
    try await withCallbackLoop { _ in
      token.value = (0..<200).publisher.merge(with: (0..<200).publisher).receive(on: Self.queue)
        .flatMap(maxPublishers: .max(1)) { Just($0) }.sink { heard.append($0) }
    }
    #expect(heard.values.sorted() == (0..<400).map { $0 / 2 })
  }

  @Test("A queue of several threads gets one value at a time, in order, and then the end")
  func concurrently() async throws {
    let (inside, token) = (Box(false), Box<AnyCancellable>(nil))
    let heard = Log<Int>()
    try await withCallbackLoop { _ in
      token.value = (0..<300).publisher.merge(with: Empty<Int, Never>()).receive(on: DispatchQueue.global())
        .sink { _ in
          heard.append(-1)
        } receiveValue: { value in
          #expect(!inside.value!)
          inside.value = true
          heard.append(value)
          inside.value = false
        }
    }
    #expect(heard.values == Array(0..<300) + [-1])
  }

  @Test("A subscription that is cancelled on the queue hears nothing more, and doesn't keep the loop running")
  func cancelledOnTheQueue() async throws {
    let heard = Log<Int>()
    let token = Box<AnyCancellable>(nil)
    try await withCallbackLoop { loop in
      token.value = loop.ticks(every: .milliseconds(1)).publisher().receive(on: Self.queue)
        .sink { _ in
        } receiveValue: { tick in
          heard.append(tick.index)
          if heard.values.count == 3 { token.value!.cancel() }
        }
    }
    #expect(heard.values.count == 3)
  }
}
#endif
