import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A request of a program's own whose completion is lost: nobody can answer it any more.
@Suite struct LostAnswerTests {
  /// When the completion is released.
  enum Moment: CaseIterable { case atOnce, later }

  private static func lost(_ moment: Moment, _ loop: EventLoop) -> Request<Int> {
    Request(loop) { done in
      if moment == .later { loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(done) {} } }
      return PendingRequest()
    }
  }

  /// The styles in which somebody waits.
  private static let waiting = Style.allCases.filter { $0 != .callback }

  @Test("It ends with abandoned, once", arguments: waiting, Moment.allCases)
  func ends(style: Style, moment: Moment) async throws {
    try await withLoop { loop in
      let log = Log<UVError.Code?>()
      let keep = style.start(Self.lost(moment, loop), on: loop, log)
      try await loop.settle { !log.values.isEmpty }
      try await loop.settle()
      #expect(log.values == [.abandoned])
      withExtendedLifetime(keep) {}
    }
  }

  @Test("The task that awaits one made of it gets abandoned", arguments: Moment.allCases)
  func composed(moment: Moment) async throws {
    try await withLoop { loop in
      let lost = Self.lost(moment, loop)
      await expectError(.abandoned, of: try await lost.map { $0 + 1 }.value)
      await expectError(.abandoned, of: try await lost.retry(RetryPolicy(attempts: 1, backoff: .none)).value)
      await #expect(throws: UVError(.abandoned, operation: "await")) {
        _ = try await lost.promise().map { $0 + 1 }.async()
      }
      await expectError(.abandoned, of: try await lost.future().value)
      // Its timer answers it.
      await expectError(.timedOut, of: try await lost.timeout(after: .milliseconds(1)).value)
    }
  }

  @Test func `A run whose body awaits one ends with the error`() async throws {
    try await withThread {
      do throws(UVError) {
        _ = try EventLoop.run { (loop) async throws(UVError) in try await Self.lost(.atOnce, loop).value }
        Issue.record("it has a value")
      } catch {
        #expect(error.code == .abandoned)
      }
    }
  }

  @Test("A task that its loop has left isn't woken by it", arguments: [false, true])
  func left(isStopped: Bool) async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        var held: Completion<Int>?
        let request = Request<Int>(loop) { done in
          held = done
          return PendingRequest { held.take()?(.failure(UVError(.cancelled, operation: "own"))) }
        }
        let task = loop.spawn {
          do throws(UVError) { _ = try await request.value } catch { log.append(error.name) }
        }
        loop.sleep(for: .milliseconds(1)) { _ in
          if isStopped { loop.stop() } else { task.cancel() }
          held = nil
        }
      }
    }
    #expect(log.values == ["ECANCELED"])
  }
}

extension Optional {
  fileprivate mutating func take() -> Wrapped? {
    defer { self = nil }
    return self
  }
}
