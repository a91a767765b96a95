import Testing
import UVTestSupport

@testable import UV

/// The entries that a snapshot lists, of those that there are.
@Suite struct OldestEntriesTests {
  @Test(arguments: 0..<20)
  func `The oldest are kept in order, and of those of one moment the ones that were added last`(seed: Int) {
    let draws = Draws(UInt64(seed))
    for limit in [0, 1, 2, 5, 100] {
      var entries = OldestEntries<Int>(limit: limit)
      var all: [(start: Int, number: Int)] = []
      for number in 0..<60 {
        let start = draws.draw(8)
        entries.add(number, since: UInt64(start))
        all.append((start, number))
        // The loop's lists have the latest first.
        let expected = all.sorted { ($0.start, -$0.number) < ($1.start, -$1.number) }.prefix(limit).map(
          \.number)
        #expect(entries.entries == expected && entries.count == all.count)
        let list = entries.list { $0 * 2 }
        #expect(list.entries == expected.map { $0 * 2 } && list.count == all.count)
        #expect(list.omittedCount == all.count - expected.count)
      }
    }
  }

  /// Things of which several begin in one callback.
  enum Kind: CaseIterable { case timers, listeners, work, sleeps, tasks }

  @Test(arguments: Kind.allCases)
  func `A list that is cut off has the first entries of the whole list`(kind: Kind) async throws {
    try await withLoop { loop in
      var (handles, pending, tasks) = ([Handle](), [PendingRequest](), [LoopTask<Void, Never>]())
      let letGo = kind == .work ? keepPoolBusy(of: loop) : {}
      for number in 0..<6 {
        switch kind {
        case .timers:
          let timer = try LoopTimer(loop)
          try timer.start(after: .seconds(1000 + 100 * number)) {}
          handles.append(timer)
        case .listeners: handles.append(try loop.tcp.listen(host: "127.0.0.1", port: 0))
        case .work: pending.append(loop.files.stat("/\(number)") { _ in })
        case .sleeps: pending.append(loop.sleep(for: .seconds(1000 + 100 * (5 - number))) { _ in })
        case .tasks:
          tasks.append(loop.spawn(name: "\(number)") { try? await loop.sleep(for: .untilCancelled).value })
        }
      }
      func names(_ snapshot: LoopSnapshot) -> [String] {
        switch kind {
        case .timers:
          snapshot.handles.entries.map { "\(Int((($0.dueIn ?? .zero) / .seconds(100)).rounded()))" }
        case .listeners: snapshot.handles.entries.map { $0.localAddress ?? "" }
        case .work: snapshot.poolRequests.entries.map { $0.subject ?? "" }
        case .sleeps: snapshot.timers.entries.map { "\(Int(($0.dueIn / .seconds(100)).rounded()))" }
        case .tasks: snapshot.tasks.entries.map { $0.name ?? $0.place }
        }
      }
      let all = names(loop.snapshot())
      let made: [String] =
        switch kind {
        case .timers, .sleeps: (0..<6).map { "\(10 + $0)" }
        case .listeners: try handles.map { try ($0 as! TCPListener).localAddress().description }
        case .work: (0..<6).map { "/\($0)" }
        case .tasks: []
        }
      // In the order in which they were made, those of the body and of the pool's own apart.
      if kind != .tasks { #expect(all.filter(made.contains) == made, "\(all)") }
      // Further ahead the wheel knows no order.
      if kind == .sleeps {
        #expect(
          loop.snapshot(limit: 3).timers.entries.count == 3 && loop.snapshot(limit: 3).timers.count == 6)
      } else {
        for limit in 0...all.count {
          #expect(names(loop.snapshot(limit: limit)) == Array(all.prefix(limit)), "\(limit)")
        }
      }
      letGo()
      for request in pending { request.cancel() }
      for task in tasks {
        task.cancel()
        await task.value
      }
      for handle in handles { handle.close() }
      if kind == .work { try await loop.until { loop.statistics.requests == 0 } }
    }
  }
}
