import Testing
import UV
import UVTestSupport

/// Two deadlines around one body whose task may be cancelled: what comes first decides, and what comes while the body still ends
/// changes nothing.
@Suite struct DeadlineOrderTests {
  enum Event: CaseIterable { case inner, outer, task }

  /// How a body ends once it has been cancelled.
  enum Ending: CaseIterable {
    case atOnce, afterCleaningUp, withCancellationError, withErrorOfItsOwn, withValue

    nonisolated(nonsending) func end(_ loop: EventLoop) async throws -> String {
      do throws(UVError) {
        try await loop.sleep(for: .untilCancelled).value
        return "never"
      } catch {
        if self == .atOnce { throw error }
        // Timers fire in the order of their dates, and this one is the last.
        try await loop.withShield { try await loop.sleep(for: .milliseconds(12)).value }
        switch self {
        case .atOnce, .afterCleaningUp: throw error
        case .withCancellationError: throw CancellationError()
        case .withErrorOfItsOwn: throw Broken()
        case .withValue: return "value"
        }
      }
    }
  }

  private struct Broken: Error {}

  /// What comes of a body that is cancelled first by one event, and perhaps by another one while it ends: inside of the outer
  /// deadline, and outside of it.
  private nonisolated(nonsending) static func outcomes(
    _ loop: EventLoop, _ first: Event, _ second: Event?, _ ending: Ending
  ) async throws -> [String] {
    func limit(_ event: Event) -> Duration {
      event == first ? .milliseconds(2) : event == second ? .milliseconds(6) : .seconds(1000)
    }
    func name(_ result: Result<String, any Error>) -> String {
      switch result {
      case .success(let value): value
      case .failure(is Broken): "broken"
      case .failure(is CancellationError): "cancelled"
      case .failure(let error as UVError) where error.isCancelled: "cancelled"
      case .failure(let error as UVError) where error.code == .timedOut:
        error.subject == limit(.inner).description ? "inner" : "outer"
      case .failure(let error): "\(error)"
      }
    }
    var inside: Result<String, any Error>?
    let task = loop.spawn { () async throws -> String in
      try await loop.withDeadline(limit(.outer)) { () async throws -> String in
        do {
          let value = try await loop.withDeadline(limit(.inner)) { try await ending.end(loop) }
          inside = .success(value)
        } catch { inside = .failure(error) }
        return try inside!.get()
      }
    }
    let cancellation = loop.sleep(for: limit(.task)) { if $0.error == nil { task.cancel() } }
    let outside: Result<String, any Error>
    do { outside = .success(try await task.value) } catch { outside = .failure(error) }
    cancellation.cancel()
    return [name(inside!), name(outside)]
  }

  @Test("What comes first says how a body ends", arguments: Event.allCases, Ending.allCases)
  func order(first: Event, ending: Ending) async throws {
    try await withLoop { loop in
      let expected =
        switch (ending, first) {
        case (.withValue, _): ["value", "value"]
        case (.withErrorOfItsOwn, _): ["broken", "broken"]
        // An error of the inner one is the outer one's body's own.
        case (_, .inner): ["inner", "inner"]
        case (_, .outer): ["cancelled", "outer"]
        case (_, .task): ["cancelled", "cancelled"]
        }
      let seconds: [Event?] = [nil, .inner, .outer, .task]
      for second in seconds where second != first {
        let outcomes = try await Self.outcomes(loop, first, second, ending)
        #expect(outcomes == expected, "\(first), then \(second.map { "\($0)" } ?? "nothing")")
      }
    }
  }
}
