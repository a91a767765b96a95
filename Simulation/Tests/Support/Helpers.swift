import Foundation
import Synchronization
public import Testing
public import UV
import UVSimulation

/// What a test has seen, in order; any thread may add to it.
public final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  /// An empty log.
  public init() {}

  /// What has been seen so far.
  public var values: [Element] { elements.withLock { $0 } }

  /// Adds something.
  public func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

// Sound: the test passes it on, and never uses it from two threads at a time.
/// Holds a value that a test passes between threads.
public final class Box<Value>: @unchecked Sendable {
  /// The value.
  public var value: Value?

  /// A box with a value in it, or an empty one.
  public init(_ value: Value?) { self.value = value }
}

extension Result {
  /// The value of a success.
  public var value: Success? { try? get() }

  /// The error of a failure.
  public var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// Which rule of the library's tests a test keeps.
public struct Rule: TestTrait {
  /// Its number in the table.
  public let number: Int
}

extension Trait where Self == Rule {
  /// The test keeps the rule of this number.
  public static func rule(_ number: Int) -> Rule { Rule(number: number) }
}

/// What lies beneath a test.
public enum Hooks {
  /// How many calls the simulated hosts have made.
  public static var loopTurns: Int? { Simulation.stepsSoFar }
  /// The heap isn't the simulation's.
  public static var heapInUse: Int? { nil }
}

/// How many threads libuv's pool has.
public let poolThreads = 4

/// Runs `body`, which is to fail with one of `codes`.
public func expectFailure<T>(
  _ codes: UVError.Code..., sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws(UVError) -> T
) async {
  do throws(UVError) {
    _ = try await body()
    Issue.record("did not fail; \(codes) expected", sourceLocation: sourceLocation)
  } catch {
    #expect(codes.contains(error.code), "\(error)", sourceLocation: sourceLocation)
  }
}

/// The code of the error that `body` throws, nil if it does not.
public func code<T>(of body: nonisolated(nonsending) () async throws(UVError) -> T) async -> UVError.Code? {
  do throws(UVError) {
    _ = try await body()
    return nil
  } catch {
    return error.code
  }
}

/// Runs `body` as often. How the heap grows is for the tests outside of the simulation.
public func expectFlatHeap(
  rounds: Int, limit: Int = 65536, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) (Int) async throws -> Void
) async rethrows {
  for round in 0..<rounds { try await body(round) }
}

/// Calls `body` with a directory that each simulated host has.
public func withTemporaryDirectory<T>(
  _ body: nonisolated(nonsending) (String) async throws -> T
) async throws -> T {
  try await body(temporaryDirectory)
}

let temporaryDirectory = "/tmp/a-test"
