import Foundation
import Testing
import UV
import UVTestSupport

/// Signals and other calls that end a service, in each order: which of them gives time, and which takes it away.
@Suite(.serialized) struct SignalOrderTests {
  /// What happens, one after the other, a turn or more between them.
  enum Event: Sendable { case signal, otherSignal, long, zero }

  /// The events, and whether the connection is cut off by them. The limit for the signals is long.
  static let orders: [(events: [Event], isCutOff: Bool)] = [
    ([.signal], false), ([.signal, .signal], true), ([.signal, .otherSignal], true),
    ([.otherSignal, .signal], true),
    ([.long], false), ([.long, .signal], false), ([.long, .otherSignal], false),
    ([.long, .signal, .signal], true),
    ([.long, .signal, .otherSignal], true), ([.long, .long, .signal], false), ([.signal, .long], false),
    ([.signal, .long, .signal], true), ([.zero], true), ([.signal, .zero], true), ([.long, .zero], true),
  ]

  private nonisolated(nonsending) func happen(_ event: Event, _ loop: EventLoop, _ log: Log<Int>) async throws
  {
    switch event {
    case .signal: kill(getpid(), SIGUSR1)
    case .otherSignal: kill(getpid(), SIGUSR2)
    case .long: loop.shutdownGracefully(within: .seconds(1000)) { log.append($0.value?.count ?? -1) }
    case .zero: loop.shutdownGracefully(within: .zero) { log.append($0.value?.count ?? -1) }
    }
    // The signal comes through the system.
    try await loop.sleep(for: .milliseconds(10)).value
    try await loop.settle()
  }

  @Test(arguments: orders)
  func `The first signal gives the connections its time, and only another signal or a shorter limit takes it`(
    order: (events: [Event], isCutOff: Bool)
  ) async throws {
    try await withPair { loop, client, server in
      let (log, others) = (Log<Int>(), Log<Int>())
      loop.shutdownGracefully(onSignals: [.user1, .user2], within: .seconds(1000)) {
        log.append($0.value?.count ?? -1)
      }
      try await loop.settle()
      for event in order.events {
        #expect(log.values == [] && !server.isClosing)
        try await happen(event, loop, others)
      }
      #expect(loop.isShuttingDown)
      if order.isCutOff {
        await expectError(.connectionReset, of: try await client.next().value)
      } else {
        // It ends by itself.
        try await client.write("still here").value
        #expect(try await server.next().value == "still here")
        #expect(log.values == [] && others.values == [])
        server.close()
        #expect(try await client.next().value == nil)
      }
      try await loop.until { !log.values.isEmpty }
      let count = order.isCutOff ? 1 : 0
      let calls = order.events.count { $0 == .long || $0 == .zero }
      try await loop.until { others.values.count == calls }
      #expect(log.values == [count] && others.values == Array(repeating: count, count: calls))
      #expect(loop.statistics.timers == 0)
    }
  }

  @Test func `The limit counts from the signal on, also where something else has begun the end`() async throws
  {
    for begun in [false, true] {
      try await withPair { loop, client, server in
        let log = Log<Int>()
        loop.shutdownGracefully(onSignals: [.user1], within: .milliseconds(150)) {
          log.append($0.value?.count ?? -1)
        }
        try await loop.settle()
        if begun { loop.shutdownGracefully(within: .seconds(1000)) { _ in } }
        // Longer than the limit.
        try await loop.sleep(for: .milliseconds(200)).value
        #expect(log.values == [] && !server.isClosing)
        let start = loop.clock.now
        kill(getpid(), SIGUSR1)
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [1] && start.duration(to: loop.clock.now) >= .milliseconds(149))
        await expectError(.connectionReset, of: try await client.next().value)
      }
    }
  }

  @Test func `Each of several that wait for signals has its own, and all get the report`() async throws {
    try await withPair { loop, client, server in
      let log = Log<String>()
      for (name, signal) in [("one", Signal.user1), ("other", .user2)] {
        loop.shutdownGracefully(onSignals: [signal], within: .seconds(1000)) {
          log.append("\(name) \($0.value?.count ?? -1)")
        }
      }
      try await loop.settle()
      kill(getpid(), SIGUSR1)
      try await server.quiescing().value
      // It is the first one for the other.
      kill(getpid(), SIGUSR2)
      try await loop.sleep(for: .milliseconds(10)).value
      try await loop.settle()
      #expect(log.values == [] && !server.isClosing)
      kill(getpid(), SIGUSR2)
      await expectError(.connectionReset, of: try await client.next().value)
      try await loop.until { log.values.count == 2 }
      #expect(log.values.sorted() == ["one 1", "other 1"])
    }
  }
}
