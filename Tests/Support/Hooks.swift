import CTestHooks
import Testing

/// What lies beneath a test.
public enum Hooks {
  /// Bytes of the heap that are in use; nil where the allocator does not say.
  public static var heapInUse: Int? {
    let bytes = test_heap_in_use()
    return bytes < 0 ? nil : bytes
  }

  /// How often the loops of this process have looked for events; nil where that cannot be counted.
  public static var loopTurns: Int? {
    let turns = test_loop_turns()
    return turns < 0 ? nil : turns
  }

  #if os(Linux)
  /// Starts a process that traces another one until it is killed; nil if the system doesn't let it.
  public static func startTracer(of process: Int32) -> Int32? {
    var tracer: Int32 = 0
    return test_trace(process, &tracer) == 0 ? tracer : nil
  }
  #endif

  /// Whether allocations can be counted.
  public static var canCountAllocations: Bool { test_allocations_can_count() != 0 }

  /// The least that `body` allocates in several rounds. Other threads of this process may allocate, too.
  public nonisolated(nonsending) static func leastAllocations(
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> Int {
    var least = Int.max
    for _ in 0..<20 {
      test_allocations_count(1)
      let before = test_allocations()
      try await body()
      least = min(least, Int(test_allocations() - before))
      test_allocations_count(0)
    }
    return least
  }
}

/// Runs `body` again and again, and expects that the heap has stopped growing: what the second half of the
/// rounds adds is at most `limit` bytes in all, in one of three tries.
public func expectFlatHeap(
  rounds: Int, limit: Int = 65536, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) (Int) async throws -> Void
) async rethrows {
  for round in 0..<rounds / 2 { try await body(round) }
  var growth = 0
  // A leak grows each time. What something else in the process has taken meanwhile doesn't.
  for _ in 0..<3 {
    let before = Hooks.heapInUse ?? 0
    for round in rounds / 2..<rounds { try await body(round) }
    growth = (Hooks.heapInUse ?? 0) - before
    if growth <= limit { return }
  }
  #expect(growth <= limit, "the heap grew by \(growth) bytes", sourceLocation: sourceLocation)
}
