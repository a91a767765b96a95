public import Testing
import UVSimulation

/// What lies beneath a test.
public enum Hooks {
  /// How many calls the simulated hosts have made.
  public static var loopTurns: Int? { Simulation.stepsSoFar }
  /// The heap isn't the simulation's.
  public static var heapInUse: Int? { nil }
}

/// How many threads libuv's pool has.
public let poolThreads = 4

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
