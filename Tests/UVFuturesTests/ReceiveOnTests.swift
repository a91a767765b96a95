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
