import Testing
import UV
import UVTestSupport

/// What is answered at once gives way when it has had its share of the loop's turn.
///
/// Each test counts how often something is done before a sleep of no length ends, which takes one turn.
@Suite("What never waits lets timers and I/O have their turn") struct StarvationTests {
  /// More than any style does in a turn, and far less than each would do in the time that a test may take.
  static let enough = 100_000

  /// How often `step` is done in a task before another task's sleep ends; at most ``enough``.
  nonisolated(nonsending) func stepsBeforeTimer(
    _ loop: EventLoop, _ step: nonisolated(nonsending) () async -> Void
  ) async throws -> Int {
    var isOver = false
    let timer = loop.spawn { () async throws(UVError) in
      try await loop.sleep(for: .zero).value
      isOver = true
    }
    var steps = 0
    while !isOver, steps < Self.enough {
      await step()
      steps += 1
    }
    try await timer.value
    return steps
  }

  @Test func `A task whose writes the system takes at once`() async throws {
    try await withPair { loop, client, server in
      let reader = loop.spawn { () async throws(UVError) in for try await _ in server {} }
      let steps = try await stepsBeforeTimer(loop) { try? await client.write("0123456789").value }
      #expect(1...300 ~= steps)
      try await client.shutdown().value
      try await reader.value
    }
  }

  @Test func `Large writes count for more`() async throws {
    try await withPair { loop, client, server in
      try client.setSendBufferSize(4 << 20)
      let reader = loop.spawn { () async throws(UVError) in for try await _ in server {} }
      let chunk = Bytes(repeating: 1, count: 64 << 10)
      let steps = try await stepsBeforeTimer(loop) { try? await client.write(chunk).value }
      #expect(1...100 ~= steps)
      try await client.shutdown().value
      try await reader.value
    }
  }

  @Test("A peer that sends without a pause", arguments: [nil, 64 << 10, 32 << 20])
  func peerThatSends(frame: Int?) async throws {
    try await withPair { loop, client, server in
      let turns = try loop.iterations(.prepare)
      var (read, most) = (0, 0)
      turns.start { _ in
        most = max(most, loop.statistics.bytesRead - read)
        read = loop.statistics.bytesRead
      }
      var total = 0
      client.write(Bytes(repeating: 0, count: 32 << 20)) { _ in client.close() }
      if let frame {
        while let chunk = try await server.read(exactly: frame).value { total += chunk.count }
      } else {
        for try await chunk in server { total += chunk.count }
      }
      #expect(total == 32 << 20)
      // A share, and what the last buffer takes beyond it.
      #expect(1..<(512 << 10) ~= most)
      turns.close()
    }
  }

  @Test func `A task whose writes are refused, or empty`() async throws {
    try await withPair { loop, client, _ in
      let empty = try await stepsBeforeTimer(loop) { try? await client.write("").value }
      #expect(1...300 ~= empty)
      client.close()
      // These cost no system call.
      let steps = try await stepsBeforeTimer(loop) { try? await client.write("x").value }
      #expect(1...10_000 ~= steps)
    }
  }

  @Test func `Messages of other threads come while the loop's own queue is always full`() async throws {
    try await withLoop { loop in
      var (steps, isOver) = (0, false)
      func again() {
        steps += 1
        if !isOver, steps < Self.enough * 10 { loop.queueMicrotask { again() } }
      }
      // More than the loop takes of them in a turn.
      for _ in 0..<5000 { again() }
      let executor = loop.executor
      for _ in 0..<3 { try await Task.detached { try await executor.run { _ in } }.value }
      isOver = true
      #expect(steps < Self.enough * 10)
      try await loop.sleep(for: .zero).value
    }
  }

  @Test func `Bytes arrive whole and in order where a write has given way`() async throws {
    try await withPair { loop, client, server in
      let reader = loop.spawn { () async throws(UVError) in
        var bytes: [UInt8] = []
        for try await chunk in server { bytes += chunk }
        return bytes
      }
      for number in 0..<5000 { try await client.write(Bytes([UInt8(number & 255)])).value }
      try await client.shutdown().value
      let bytes = try await reader.value
      #expect(bytes == (0..<5000).map { UInt8($0 & 255) })
    }
  }

  @Test func `Writes with callbacks, each from the end of the one before`() async throws {
    try await withPair { loop, client, server in
      server.start { _ in }
      var (steps, isOver) = (0, false)
      func again() {
        client.write("0123456789") { _ in
          steps += 1
          if !isOver, steps < Self.enough { again() }
        }
      }
      again()
      try await loop.sleep(for: .zero).value
      isOver = true
      #expect(1...300 ~= steps)
      try await loop.sleep(for: .zero).value
    }
  }

  @Test func `A task that asks a source again that has ended`() async throws {
    try await withPair { loop, client, server in
      client.close()
      var iterator = server.makeAsyncIterator()
      #expect(try await iterator.next() == nil)
      let steps = try await stepsBeforeTimer(loop) { #expect((try? await iterator.next()) == .some(nil)) }
      #expect(1...10_000 ~= steps)
      let ticks = loop.ticks(every: .milliseconds(1))
      ticks.start { _ in }
      let started = try await stepsBeforeTimer(loop) {
        #expect(await code { () async throws(UVError) in try await ticks.next().value } == .sourceStarted)
      }
      #expect(1...10_000 ~= started)
      ticks.stop()
    }
  }

  @Test func `A task that has been cancelled and goes on`() async throws {
    try await withPair { loop, client, server in
      var counts: [Int] = []
      let task = loop.spawn { () async throws in
        var iterator = server.makeAsyncIterator()
        while !Task.isCancelled { await Task.yield() }
        for kind in 0..<4 {
          var isOver = false
          loop.sleep(for: .zero) { _ in isOver = true }
          var steps = 0
          while !isOver, steps < Self.enough {
            switch kind {
            case 0: try? await client.write("x").value
            case 1: try? await loop.sleep(for: .untilCancelled).value
            case 2: _ = try? await iterator.next()
            default: _ = try? await loop.files.stat("/").value
            }
            steps += 1
          }
          counts.append(steps)
        }
      }
      task.cancel()
      try await task.value
      #expect(counts.count == 4)
      for count in counts { #expect(1...10_000 ~= count) }
    }
  }

  @Test func `Microtasks that queue the next`() async throws {
    try await withLoop { loop in
      var (steps, isOver) = (0, false)
      func again() {
        steps += 1
        if !isOver, steps < Self.enough { loop.queueMicrotask(again) }
      }
      again()
      try await loop.sleep(for: .zero).value
      isOver = true
      #expect(1...10_000 ~= steps)
    }
  }

  @Test func `A body that starts tasks of a group, for which there is always room`() async throws {
    try await withLoop { loop in
      let steps = try await loop.withTasks(of: Void.self) { tasks in
        try await stepsBeforeTimer(loop) { _ = try? await tasks.spawn {} }
      }
      #expect(1...10_000 ~= steps)
    }
  }

  @Test func `Datagrams that the system takes at once`() async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      let steps = try await stepsBeforeTimer(loop) { try? await sender.send("x").value }
      #expect(1...300 ~= steps)
      sender.close()
      receiver.close()
    }
  }

  @Test("Messages of other threads come in portions, and what the loop queues meanwhile comes between")
  func messages() async throws {
    try await withLoop { loop in
      let arrivals = Arrivals(loop)
      let sent = await Task.detached { [executor = loop.executor] in
        (0..<Self.enough).allSatisfy { index in
          (try? executor.execute { _ in arrivals.add(index) }) != nil
        }
      }.value
      #expect(sent)
      while arrivals.count < Self.enough { try await loop.sleep(for: .zero).value }
      #expect(arrivals.isInOrder)
      #expect(1...10_000 ~= arrivals.countAtMicrotask)
    }
  }

  @Test func `Messages that come while others wait for the next turn arrive, too`() async throws {
    try await withLoop { loop in
      let arrivals = Arrivals(loop)
      let senders = (0..<2).map { _ in
        Task.detached { [executor = loop.executor] in
          for _ in 0..<20_000 { try? executor.execute { _ in arrivals.add() } }
        }
      }
      for sender in senders { await sender.value }
      // Nothing but the messages wakes the loop from here on.
      try await loop.executor.submit { _ in }
      #expect(arrivals.count == 40_000)
    }
  }

  @Test func `What gives way neither ends its loop nor keeps it`() async throws {
    for count in [1, 127, 128, 129, 5000] {
      try await withPair { loop, client, server in
        server.start { _ in }
        for _ in 0..<count { try await client.write("x").value }
      }
    }
  }
}

/// The messages that have come, counted on the loop's thread.
// Sound: used on the loop's thread alone.
private final class Arrivals: @unchecked Sendable {
  let loop: EventLoop
  var count = 0
  var isInOrder = true
  /// How many had come when a microtask ran that the first of them had queued.
  var countAtMicrotask = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func add() { count += 1 }

  func add(_ index: Int) {
    if index == 0 { loop.queueMicrotask { [self] in countAtMicrotask = count } }
    if index != count { isInOrder = false }
    count += 1
  }
}
