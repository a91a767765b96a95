import UV
import UVSimulation

let loopWorlds = [
  HuntedWorld("messages", messages), HuntedWorld("bursts", bursts),
  HuntedWorld("last messages", lastMessages), HuntedWorld("groups", groups),
  HuntedWorld("graceful", graceful), HuntedWorld("quiescing", quiescing), HuntedWorld("signals", signals),
]

/// A group of loops serves a port, answers each visitor once, and ends without losing one.
private func groups(_ world: World, _ ledger: Ledger) throws {
  let isTurned = world.random(below: 2) == 0
  let (over, ready) = (Shared(0), Shared(false))
  world.node("server") { loop in
    let group = try EventLoopGroup(count: 3)
    let served = Shared(0)
    try await group.serve(port: 7, balance: isTurned ? .roundRobin : .system) { connection in
      var lines = 0
      do {
        while let line = try await connection.readLine(limit: 100).value {
          lines += 1
          try await connection.write([line, Bytes("\n")]).value
        }
        try await connection.shutdown().value
      } catch { ledger.complain("served: \(error)") }
      connection.close()
      // A client that tries both families at once may close one connection unused. On another loop.
      let count = try? await group.executors[0].submit { [lines] _ in
        served.value += lines > 0 ? 1 : 0
        return served.value
      }
      if count == nil { ledger.complain("a loop of the group has ended before its connections") }
    }
    ready.value = true
    // Loops that ask each other.
    for number in 0..<6 {
      let executor = group.next()
      let value = try await executor.submit(on: loop) { _ in number }.value
      try expect(value == number, "another value")
    }
    while over.value < 4 { try await loop.sleep(for: .milliseconds(50)).value }
    let report = await group.shutdownGracefully(within: .seconds(600))
    try expect(report.count == 0, "\(report.count) connections were cut off")
    try expect(served.value == 8, "\(served.value) connections of 8 were served")
  }
  for client in 0..<4 {
    world.node("client \(client)") { loop in
      while !ready.value { try await loop.sleep(for: .milliseconds(20)).value }
      for number in 0..<2 {
        let connection = try await Transport.tcp.connect(loop)
        for round in 0..<3 {
          try await connection.write([Bytes("\(client) \(number) \(round)"), Bytes("\n")]).value
          let answer = try await connection.readLine(limit: 100).value
          try expect(answer == Bytes("\(client) \(number) \(round)"), "another answer")
        }
        try await connection.shutdown().value
        try expect(try await connection.next().value == nil, "no end")
        connection.close()
      }
      over.value += 1
    }
  }
}

/// Signals reach all their waiters, and nobody else.
private func signals(_ world: World, _ ledger: Ledger) throws {
  let seen = [Shared(0), Shared(0), Shared(0)]
  let isReady = Shared(false)
  let host = world.node("a") { loop in
    let watchers = [try loop.signals(.user1), try loop.signals(.user1), try loop.signals(.user2)]
    var tasks: [LoopTask<Void, any Error>] = []
    for (number, watcher) in watchers.enumerated() {
      tasks.append(
        loop.spawn { () async throws in
          for try await _ in watcher {
            seen[number].value += 1
            if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
          }
        })
    }
    try await loop.sleep(for: .milliseconds(1)).value
    isReady.value = true
    while seen[2].value == 0 {
      try await loop.sleep(for: .milliseconds(10)).timeout(after: .seconds(60)).value
    }
    try await loop.sleep(for: .seconds(1)).value
    for watcher in watchers { watcher.close() }
    for task in tasks { try await task.value }
    try expect(seen[0].value >= 1 && seen[0].value <= 3, "the first was reported \(seen[0].value) times of 3")
    try expect(
      seen[1].value >= 1 && seen[1].value <= 3, "the second was reported \(seen[1].value) times of 3")
    try expect(seen[2].value == 1, "the other signal was reported \(seen[2].value) times")
  }
  while !isReady.value { try world.sleep(for: .milliseconds(10)) }
  for _ in 0..<3 {
    world.signal(host, .user1)
    try world.sleep(for: .milliseconds(Int64(world.random(below: 500))))
  }
  world.signal(host, .user2)
}
