#if Everything
import Dispatch
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A request of a program's own whose completion is lost: nobody can answer it any more.
@Suite struct LostAnswerTests {
  /// When the completion is released, and where.
  enum Moment: CaseIterable, Sendable { case atOnce, later, elsewhere }

  private static func lost(_ moment: Moment, _ loop: EventLoop) -> Request<Int> {
    Request(loop) { done in
      switch moment {
      case .atOnce: break
      case .later: loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(done) {} }
      case .elsewhere:
        let held = Held(done)
        DispatchQueue.global().async { held.drop() }
      }
      return PendingRequest()
    }
  }

  @Test(
    "It ends with abandoned, once, on its loop, in every style", arguments: Style.allCases, Moment.allCases)
  func ends(style: Style, moment: Moment) async throws {
    try await withLoop { loop in
      let log = Log<UVError.Code?>()
      // The loop is kept for what another thread does.
      let ticks = loop.ticks(every: .milliseconds(1))
      ticks.start { _ in }
      let keep = style.start(Self.lost(moment, loop), on: loop, log)
      try await loop.settle { !log.values.isEmpty }
      try await loop.settle()
      #expect(log.values == [.abandoned])
      withExtendedLifetime(keep) {}
      ticks.stop()
    }
  }

  /// Requests that are made of a lost one.
  private static let made: [@Sendable (Request<Int>) -> Request<Int>] = [
    { $0 }, { $0.map { $0 + 1 } }, { $0.timeout(after: .seconds(1000)) },
    { $0.map { $0 }.timeout(after: .seconds(1000)) }, { $0.retry(RetryPolicy(attempts: 2, backoff: .none)) },
    { $0.timeout(after: .seconds(1000)).retry(RetryPolicy(attempts: 2, backoff: .none)) },
  ]

  @Test("So does each request that is made of it", arguments: made.indices, Moment.allCases)
  func composed(index: Int, moment: Moment) async throws {
    try await withLoop { loop in
      let request = Self.made[index](Self.lost(moment, loop))
      let error = UVError(.abandoned, operation: "lost")
      await #expect(throws: error) { _ = try await request.value }
      await #expect(throws: error) { _ = try await request.promise().map { $0 + 1 }.async() }
      await #expect(throws: error) { _ = try await request.future().value }
      await #expect(throws: error) { for try await _ in request.publisher().values {} }
    }
  }

  // A task would wait for its answer before the last round.
  @Test(
    "One that is lost in its loop's last round is reported still",
    arguments: Style.allCases.filter { $0 != .async }, [false, true])
  func lastRound(style: Style, isStopped: Bool) async throws {
    let log = Log<UVError.Code?>()
    try await withThread {
      let loop = try EventLoop()
      var keep: () -> Void = {}
      let begin = {
        let request = Request<Int>(loop) { done in
          loop.sleep(for: .untilCancelled) { _ in withExtendedLifetime(done) {} }
          return PendingRequest()
        }
        keep = style.start(request, on: loop, log)
      }
      if isStopped {
        loop.runCallbacks { loop in
          begin()
          loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
        }
      } else {
        loop.queueMicrotask { begin() }
      }
      loop.shutdown()
      withExtendedLifetime(keep) {}
    }
    #expect(log.values == [.abandoned])
  }

  @Test(
    "One that is lost on its loop's thread is reported in that turn, which may be the last",
    arguments: Style.allCases)
  func sameTurn(style: Style) async throws {
    let log = Log<UVError.Code?>()
    let other = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      var keep: () -> Void = {}
      loop.runCallbacks { loop in
        keep = style.start(Self.lost(.atOnce, loop), on: loop, log)
        loop.sleep(for: .zero) { _ in other.append(log.values.count) }
      }
      #expect(log.values == [.abandoned])
      loop.runCallbacks { loop in keep = style.start(Self.lost(.atOnce, loop), on: loop, log) }
      #expect(log.values == [.abandoned, .abandoned])
      loop.shutdown()
      withExtendedLifetime(keep) {}
    }
    #expect(other.values == [1])
  }

  /// How a task ends whose request loses its completion by being cancelled.
  enum End: CaseIterable { case cancel, deadline, stop, error }

  @Test("A task that loses it by its cancellation ends", arguments: End.allCases, made.indices)
  func sloppy(end: End, index: Int) async throws {
    let log = Log<String>()
    try await withThread {
      do {
        try EventLoop.run { loop in
          let request = Self.made[index](
            Request(loop) { done in
              var held: Completion<Int>? = done
              return PendingRequest {
                _ = held
                held = nil
              }
            })
          if end == .deadline {
            do { _ = try await loop.withDeadline(.milliseconds(2)) { try await request.value } } catch {}
            return log.append("ended")
          }
          let task = loop.spawn {
            _ = try? await request.value
            log.append("ended")
          }
          try await loop.sleep(for: .milliseconds(1)).value
          switch end {
          case .cancel: task.cancel()
          case .stop: loop.stop()
          default: throw UVError(.busy, operation: "test")
          }
        }
      } catch {}
    }
    #expect(log.values == ["ended"])
  }

  @Test func `A task that was cancelled gets cancelled from the request itself`() async throws {
    try await withLoop { loop in
      let request = Request<Int>(loop, operation: "own") { done in
        var held: Completion<Int>? = done
        return PendingRequest {
          _ = held
          held = nil
        }
      }
      let task = loop.spawn { () async throws(UVError) in try await request.value }
      try await loop.settle()
      task.cancel()
      await #expect(throws: UVError(.cancelled, operation: "own")) { try await task.value }
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

  @Test func `A pool whose resource is never made says so, and closes`() async throws {
    final class Never: PoolResource {
      let loop: EventLoop
      init(_ loop: EventLoop) { self.loop = loop }
      var isReusable: Bool { true }
      func idling(_ done: @escaping Completion<Void>) -> PendingRequest { PendingRequest() }
      func close() -> Request<Void> { loop.sleep(for: .zero) }
    }
    try await withLoop { loop in
      let pool = Pool(Request<Never>(loop) { _ in PendingRequest() }, retry: RetryPolicy(attempts: 1))
      await expectError(.abandoned, of: try await pool.lease().value)
      try await pool.close().value
    }
  }

  @Test func `A completion that is kept after its run, and lost in another one, calls nobody there`()
    async throws
  {
    try await withThread {
      let log = Log<String>()
      let held = Held<Completion<Int>>(nil)
      EventLoop.runCallbacks { loop in
        Request<Int>(loop) { done in
          held.value = done
          return PendingRequest()
        }
        .start { _ in log.append("called") }
      }
      EventLoop.runCallbacks { loop in
        held.drop()
        loop.sleep(for: .milliseconds(1)) { _ in log.append("other") }
      }
      #expect(log.values == ["other"])
    }
  }
}

/// What another thread lets go of, as a program in Swift 5 mode does.
private final class Held<Value>: @unchecked Sendable {
  // Sound: touched by one thread after the other.
  var value: Value?
  init(_ value: Value?) { self.value = value }
  func drop() { value = nil }
}
#endif
