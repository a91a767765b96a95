import Testing
import UV
import UVPromises
import UVTestSupport

struct Boom: Error, Equatable {
  var number = 0
}

/// What the library had to report while a program ran.
final class Reports: Sendable {
  let rejections = Log<UnhandledRejection>()
  let events = Log<LogEvent>()
  let unstarted = Log<UnstartedRequest>()

  var descriptions: [String] {
    rejections.values.map(\.description) + events.values.map(\.debugDescription)
      + unstarted.values.map(\.description)
  }

  /// To be called on a loop's thread of the test support, where one loop runs at a time in the whole process.
  func install() {
    // The next test may report something before this one has looked at its own.
    let isMine: @Sendable () -> Bool = { [number = numberOfTest] in numberOfTest.map { $0 == number } ?? true
    }
    conf.logHandler = { [events] in if isMine() { events.append($0) } }
    conf.unhandledRejectionHandler = { [rejections] in if isMine() { rejections.append($0) } }
    conf.unstartedRequestHandler = { [unstarted] in if isMine() { unstarted.append($0) } }
  }
}

extension Log where Element == String {
  func callAsFunction(_ text: String) { append(text) }
}

/// Runs a program of promises on a loop and returns what it has logged. Nothing may be left on the loop, and
/// nothing may be reported: neither an unhandled rejection nor a lost promise.
func program(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop, Log<String>) throws -> Void
) async throws -> [String] {
  let (log, reports) = try await programWithReports(sourceLocation: sourceLocation, body)
  for report in reports.descriptions { Issue.record("reported: \(report)", sourceLocation: sourceLocation) }
  return log
}

/// The same for a program that is to log `lines`, in this order.
func program(
  logs lines: [String], sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop, Log<String>) throws -> Void
) async throws {
  let log = try await program(sourceLocation: sourceLocation, body)
  #expect(log == lines, sourceLocation: sourceLocation)
}

/// The same for a program that is to log `lines` in an order that isn't certain.
func program(
  logsInAnyOrder lines: [String], sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop, Log<String>) throws -> Void
) async throws {
  let log = try await program(sourceLocation: sourceLocation, body)
  #expect(log.sorted() == lines.sorted(), sourceLocation: sourceLocation)
}

/// The same for programs whose reports are the point.
func programWithReports(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop, Log<String>) throws -> Void
) async throws -> (log: [String], reports: Reports) {
  let log = Log<String>()
  let reports = Reports()
  try await withCallbackLoop(sourceLocation: sourceLocation) { loop in
    reports.install()
    try body(loop, log)
  }
  return (log.values, reports)
}

/// Runs a program with an async body; nothing may be left or reported.
func asyncProgram(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, Log<String>) async throws -> Void
) async throws -> [String] {
  let log = Log<String>()
  let reports = Reports()
  try await withLoop(sourceLocation: sourceLocation) { loop in
    reports.install()
    try await body(loop, log)
  }
  for report in reports.descriptions { Issue.record("reported: \(report)", sourceLocation: sourceLocation) }
  return log.values
}

/// The same for a program that is to log `lines`, in this order.
func asyncProgram(
  logs lines: [String], sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, Log<String>) async throws -> Void
) async throws {
  let log = try await asyncProgram(sourceLocation: sourceLocation, body)
  #expect(log == lines, sourceLocation: sourceLocation)
}

extension EventLoop {
  /// A promise of `value` after some turns of the loop.
  func later<T>(_ value: T, milliseconds: Int = 1) -> Promise<T> {
    after(.milliseconds(milliseconds)).map { value }.map { $0 }
  }

  /// A promise that fails after some turns of the loop.
  func failingLater<T>(_ error: any Error = Boom(), milliseconds: Int = 1, as type: T.Type = Int.self)
    -> Promise<T>
  {
    after(.milliseconds(milliseconds)).map { throw error }
  }
}

extension CatchMixin {
  /// Ends a chain whose outcome does not matter.
  func cauterizeSilently() { self.catch(policy: .allErrors) { _ in } }
}
