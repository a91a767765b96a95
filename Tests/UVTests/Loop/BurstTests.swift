import Foundation
import Testing
import UV
import UVTestSupport

/// Many messages that come at once: each is handled, and the heap has as much afterwards as before, however many they were.
@Suite(.serialized, .onTheMachine("the heap")) struct BurstTests {
  /// What a message is.
  enum Kind: CaseIterable, Sendable {
    /// A closure, a job of a task, and a handle whose owner has gone.
    case closure, job, handle
  }

  /// How many come at once: below, at and above each size that the list of messages has or keeps.
  static let counts = [1, 64, 65, 1024, 1025, 2049, 5000]

  /// Has another thread send so many messages while the loop's thread waits, so that all are there together.
  private func send(_ kind: Kind, _ count: Int, _ handled: Log<Void>, to loop: EventLoop) throws {
    let executor = loop.executor
    let sent = DispatchSemaphore(value: 0)
    let owners = Box(kind == .handle ? try (0..<count).map { _ in try LoopTimer(loop) } : [])
    loop.work {
      switch kind {
      case .closure: for _ in 0..<count { try? executor.execute { _ in handled.append(()) } }
      case .job: for _ in 0..<count { Task(executorPreference: executor) { handled.append(()) } }
      case .handle: owners.value = nil
      }
      sent.signal()
    }.start { _ in }
    sent.wait()
  }

  private nonisolated(nonsending) func handleBurst(_ kind: Kind, _ count: Int, _ loop: EventLoop) async throws
  {
    let handled = Log<Void>()
    try send(kind, count, handled, to: loop)
    if kind == .handle {
      try await loop.until { loop.statistics.handles == 0 }
    } else {
      try await loop.until { handled.values.count == count }
    }
    // The end of the work, and of the last handle.
    try await loop.settle()
  }

  @Test(arguments: Kind.allCases, counts)
  func `The memory of a burst of messages is given back when they have been handled`(kind: Kind, count: Int)
    async throws
  {
    try await withLoop { loop in
      try await handleBurst(kind, count, loop)
      // A list of as many messages has some dozens of bytes for each.
      try await expectHeapGivenBack("\(count) of \(kind)", count: 1, leak: max(2000, 16 * count)) {
        try await handleBurst(kind, count, loop)
      }
    }
  }

  @Test(arguments: counts)
  func `So is that of a burst which one loop takes at its end`(count: Int) async throws {
    try await withLoop { loop in
      func make() throws {
        let other = try EventLoop()
        let handled = Log<Void>()
        let executor = other.executor
        for _ in 0..<count { try executor.execute { _ in handled.append(()) } }
        other.shutdown()
        #expect(handled.values.count == count)
      }
      try make()
      try await expectHeapGivenBack("\(count) at the end", count: 1, leak: max(2000, 16 * count)) {
        try make()
        try await loop.sleep(for: .zero).value
      }
    }
  }

  @Test func `A burst that comes while a larger one is handled is handled after it`() async throws {
    try await withLoop { loop in
      let order = Log<Int>()
      let executor = loop.executor
      // Each message sends another one, into the list that the loop doesn't handle now.
      for count in Self.counts {
        for number in 0..<count {
          try executor.execute { _ in
            order.append(number)
            try? executor.execute { _ in order.append(count + number) }
          }
        }
        let before = order.values.count
        try await loop.until { order.values.count - before == 2 * count }
        #expect(order.values.suffix(2 * count) == ArraySlice(0..<2 * count), "\(count)")
      }
    }
  }
}
