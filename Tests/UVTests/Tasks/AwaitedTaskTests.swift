import Dispatch
import Testing
import UV
import UVTestSupport

/// What a task holds and shows while it waits for somebody, and afterwards.
@Suite struct AwaitedTaskTests {
  @Test func `A task that has been awaited is let go of, with its value`() async throws {
    try await withLoop { loop in
      weak var value: Token?
      do {
        let task = loop.spawn { () async throws(UVError) -> Token in
          try await loop.sleep(for: .zero).value
          return Token()
        }
        value = try await task.value
        #expect(value != nil)
      }
      #expect(value == nil)
    }
  }

  @Test(arguments: [1, 100])
  func `What a loop has of its tasks goes with it`(count: Int) async throws {
    // Within a loop's test, since no other loop of this process runs meanwhile.
    try await withLoop { _ in
      try await expectFlatHeap(rounds: 400, limit: 32768) { _ in
        let loop = try EventLoop()
        for _ in 0..<count { loop.spawn {} }
        loop.shutdown()
      }
    }
  }

  @Test func `A task that waits for another loop is listed with what it asks of which loop`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.next()
      let name = try await executor.submit { $0.name }
      let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      try executor.execute { _ in
        begun.signal()
        gate.wait()
      }
      begun.wait()
      let tasks: [LoopTask<Void, Never>] = [
        loop.spawn { try? await executor.run { _ in } }, loop.spawn { try? await executor.submit { _ in } },
        loop.spawn { _ = await group.shutdownGracefully(within: .zero) },
      ]
      try await loop.settle()
      let waits = loop.snapshot().tasks.entries.compactMap(\.wait).sorted { $0.operation < $1.operation }
      #expect(waits.map(\.operation) == ["run", "shutdownGracefully", "submit"])
      #expect(waits.map(\.subject) == [name, nil, name])
      gate.signal()
      for task in tasks { await task.value }
      #expect(loop.snapshot().tasks.entries.allSatisfy { $0.wait == nil })
    }
  }
}
