import Synchronization

/// Numbers the objects of a kind from 1, on any thread. A number isn't used again, as an address would be.
struct Numbering: ~Copyable, Sendable {
  private let last = Atomic(0)

  func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
