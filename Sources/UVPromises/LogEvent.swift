/// An event that the library reports to the log handler, ``Configuration/logHandler``.
///
/// PromiseKit's `LogEvent`, with the same cases, so that a `switch` of its users covers them all. A lost promise comes with
/// the place where it was made, which debug builds know.
public enum LogEvent: Sendable {
  /// `wait()` blocked the main thread.
  case waitOnMainThread
  /// A promise went away before it was resolved; the handlers on it never run.
  case pendingPromiseDeallocated(madeAt: CreationSite? = nil)
  /// A guarantee went away before it was resolved; the handlers on it never run.
  case pendingGuaranteeDeallocated(madeAt: CreationSite? = nil)
  /// `cauterize()` ended a chain that had failed.
  case cauterized(any Error)
}

extension LogEvent {
  /// A promise went away before it was resolved, wherever it was made.
  public static var pendingPromiseDeallocated: LogEvent { .pendingPromiseDeallocated(madeAt: nil) }
  /// A guarantee went away before it was resolved, wherever it was made.
  public static var pendingGuaranteeDeallocated: LogEvent { .pendingGuaranteeDeallocated(madeAt: nil) }
}

extension LogEvent: CustomStringConvertible, CustomDebugStringConvertible {
  /// The name of the event, and the error if there is one: `waitOnMainThread`,
  /// `cauterized(MyModule.MyError.failed)`.
  ///
  /// PromiseKit's `"\(event)"`.
  public var description: String {
    switch self {
    case .waitOnMainThread: "waitOnMainThread"
    case .pendingPromiseDeallocated: "pendingPromiseDeallocated"
    case .pendingGuaranteeDeallocated: "pendingGuaranteeDeallocated"
    case .cauterized(let error): "cauterized(\(String(reflecting: error)))"
    }
  }

  /// A sentence about the event, with the place where the promise was made. It is printed unless there is a
  /// ``Configuration/logHandler``.
  public var debugDescription: String {
    switch self {
    case .waitOnMainThread: "wait() blocks the main thread"
    case .pendingPromiseDeallocated(let site): "a pending promise was deallocated\(LogEvent.suffix(site))"
    case .pendingGuaranteeDeallocated(let site): "a pending guarantee was deallocated\(LogEvent.suffix(site))"
    case .cauterized(let error): "cauterized error: \(error)"
    }
  }

  static func suffix(_ site: CreationSite?) -> String { site.map { "; it was made at \($0)" } ?? "" }
}

/// A promise that was rejected, and nobody had asked for its outcome by the end of the turn.
public struct UnhandledRejection: Sendable, CustomStringConvertible {
  /// The error that it was rejected with.
  public let error: any Error
  /// Where the promise was made; known in debug builds.
  public let site: CreationSite?

  /// A sentence with the error and the place.
  public var description: String { "unhandled rejection: \(error)\(LogEvent.suffix(site))" }
}

/// A closure returned a request where nobody starts it, such as that of `map`.
public struct UnstartedRequest: Sendable, CustomStringConvertible {
  /// The place of the operation that was given the closure.
  public let site: CreationSite

  /// A sentence with the place, and with what would start the request.
  public var description: String {
    "nobody starts the request that the closure at \(site) returns; `then { … }` and `.value` do"
  }
}
