import BenchHarness
import CBenchSupport
import Synchronization

/// The memory that idle connections take, and what is left of it when they have closed: by the allocator, and
/// by the system.
final class HeldMemory: Sendable {
  /// When it is looked at.
  enum Moment {
    /// The server listens, and nobody has connected yet.
    case before
    /// Nothing is under way.
    case idle
    /// The last connection has closed, and the loop still runs.
    case after
  }

  private let connections: Int
  private let notes = Mutex<[Moment: (heap: Int, resident: Int)]>([:])

  /// The memory of so many connections.
  init(_ connections: Int) { self.connections = connections }

  /// Looks now, on any thread.
  func note(_ moment: Moment) {
    // Pages that an earlier run has left would hide what is needed.
    if moment == .before { bench_heap_trim() }
    notes.withLock { $0[moment] = (bench_heap_in_use(), bench_resident()) }
  }

  /// Bytes for each connection. The harness divides by the number of operations.
  func counters(of operations: Int) -> [Counter: UInt64] {
    notes.withLock { notes in
      guard let before = notes[.before], let idle = notes[.idle], let after = notes[.after], before.heap >= 0
      else { return [:] }
      func share(_ bytes: Int) -> UInt64 { UInt64(max(0, bytes) * operations / connections) }
      return [
        .heldBytes: share(idle.heap - before.heap),
        .residentBytes: share(idle.resident - before.resident),
        .keptBytes: share(after.heap - before.heap),
        .keptResidentBytes: share(after.resident - before.resident),
      ]
    }
  }
}
