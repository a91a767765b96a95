#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// What repeats itself ends with its loop, in each style.
@Suite("A chain that repeats itself") struct LastRoundTests {
  /// Counts what is alive.
  private final class Token {
    let log: Log<Int>
    init(_ log: Log<Int>) {
      self.log = log
      log.append(1)
    }
    deinit { log.append(-1) }
  }

  /// Asks for a sleep again and again, in a style.
  private static func repeatSleep(_ style: Style, _ loop: EventLoop, _ calls: Log<Bool>, _ alive: Log<Int>)
    -> () -> Void
  {
    var subscriptions: [AnyCancellable] = []
    let token = Token(alive)
    func again() {
      if calls.values.count > 1000 { return }
      withExtendedLifetime(token) {}
      let request = loop.sleep(for: .milliseconds(1))
      switch style {
      case .callback:
        request.start { _ in
          calls.append(loop.isClosed)
          again()
        }
      case .promise:
        request.promise()
          .ensure {
            calls.append(loop.isClosed)
            again()
          }
          .cauterize()
      case .future, .publisher:
        let end: (Subscribers.Completion<UVError>) -> Void = { _ in
          calls.append(loop.isClosed)
          again()
        }
        let subscription =
          style == .future
          ? request.future().sink(receiveCompletion: end, receiveValue: { _ in })
          : request.publisher().sink(receiveCompletion: end, receiveValue: { _ in })
        subscriptions.append(subscription)
      case .async:
        loop.spawn {
          _ = try? await request.value
          calls.append(loop.isClosed || Task.isCancelled)
          again()
        }
      }
    }
    again()
    return { subscriptions = [] }
  }

  @Test("ends when its loop is stopped and shut down", arguments: Style.allCases)
  func atStop(style: Style) async throws {
    let (calls, alive) = (Log<Bool>(), Log<Int>())
    try await withThread {
      let letGo = EventLoop.runCallbacks { loop in
        defer { loop.sleep(for: .milliseconds(4)) { _ in loop.stop() } }
        return Self.repeatSleep(style, loop, calls, alive)
      }
      letGo()
    }
    let afterTheEnd = calls.values.count { $0 }
    #expect(style == .async ? 1...20 ~= afterTheEnd : afterTheEnd == 1, "\(afterTheEnd)")
    #expect(alive.values.reduce(0, +) == 0)
  }

  @Test func `ends when its tasks are a promise's`() async throws {
    let calls = Log<Bool>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        func again() {
          if calls.values.count > 1000 { return }
          Promise { try await loop.sleep(for: .milliseconds(1)).value }
            .ensure {
              calls.append(loop.isClosed)
              again()
            }
            .cauterize()
        }
        again()
        loop.sleep(for: .milliseconds(4)) { _ in loop.stop() }
      }
    }
    #expect(calls.values.count < 100)
  }

  @Test func `A task that waits for a promise whose request is let go of is notified`() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        loop.spawn {
          do {
            try await loop.sleep(for: .untilCancelled).promise()
              .recover { _ in loop.sleep(for: .untilCancelled).promise() }
              .async()
          } catch { log.append("notified") }
        }
        loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
      }
    }
    #expect(log.values == ["notified"])
  }
}
#endif
