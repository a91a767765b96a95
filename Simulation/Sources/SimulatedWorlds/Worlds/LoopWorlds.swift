import Glibc
import UV
import UVSimulation
import UVTLS

let loopWorlds = [
  HuntedWorld("messages", messages), HuntedWorld("last messages", lastMessages),
  HuntedWorld("groups", groups),
  HuntedWorld("graceful", graceful), HuntedWorld("quiescing", quiescing), HuntedWorld("signals", signals),
]

/// What other threads send to a loop runs, once, in order.
private func messages(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let (executor, seen) = (loop.executor, Shared<[Int]>([]))
    for round in 0..<10 {
      let sending = loop.work {
        for number in 0..<10 { try? executor.execute { _ in seen.value.append(round * 10 + number) } }
      }
      let others = (0..<3).map { _ in loop.work { 1 } }
      try await sending.value
      for other in others { _ = try await other.value }
      while seen.value.count < (round + 1) * 10 {
        try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(1)).value
      }
      try expect(seen.value == Array(0..<(round + 1) * 10), "round \(round): \(seen.value.suffix(12))")
      // With nothing else to do, a message alone wakes the loop.
      let value = try await executor.submit { _ in round }
      try expect(value == round, "another value")
      await Task.detached { try? executor.execute { _ in seen.value.append(-1) } }.value
      try await executor.submit { _ in () }
      seen.value.removeLast()
    }
  }
}

/// A loop that ends runs every message that it has accepted, and refuses the others.
private func lastMessages(_ world: World, _ ledger: Ledger) throws {
  let (accepted, run) = (Shared<[Int]>([]), Shared<[Int]>([]))
  ledger.atEnd {
    try expect(run.value == accepted.value, "\(run.value.count) messages of \(accepted.value.count) have run")
  }
  world.client("a") { loop in
    let executor = loop.executor
    let count = [20, 3000, 20_000][loop.draw(3)]
    let isBurst = loop.isDrawn(oneIn: 2)
    // Another thread, for which the loop doesn't wait.
    let sender = Sender {
      for number in 0..<count {
        do {
          try executor.execute { _ in run.value.append(number) }
          accepted.value.append(number)
        } catch {}
        if !isBurst, number % 500 == 0 { usleep(UInt32(loop.draw(3))) }
      }
    }
    sender.start()
    if isBurst {
      // All of them come while the loop is busy, and then it ends.
      usleep(1000)
      loop.stop()
      return
    }
    try await loop.sleep(for: .microseconds(Int64(loop.draw(60)))).value
    if loop.isDrawn(oneIn: 2) { loop.stop() }
  }
}

// Sound: the closure is called once, on the thread that is started.
private final class Sender: @unchecked Sendable {
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }

  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Sender>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }
}

/// A group of loops serves a port, answers each visitor once, and ends without losing one.
private func groups(_ world: World, _ ledger: Ledger) throws {
  let isTurned = world.random(below: 2) == 0
  let (over, ready) = (Shared(0), Shared(false))
  world.node("server") { loop in
    let group = try EventLoopGroup(count: 3)
    let served = Shared(0)
    try await group.serve(port: 7, balance: isTurned ? .roundRobin : .system) { connection in
      do {
        while let line = try await connection.readLine(limit: 100).value {
          try await connection.write([line, Bytes("\n")]).value
        }
        try await connection.shutdown().value
      } catch { ledger.complain("served: \(error)") }
      connection.close()
      // On another loop.
      let count = try? await group.executors[0].submit { _ in
        served.value += 1
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
        try expect(try await connection.read().value == nil, "no end")
        connection.close()
      }
      over.value += 1
    }
  }
}

/// A server that shuts down on a signal, while requests are under way, answers all that it has accepted.
private func graceful(_ world: World, _ ledger: Ledger) throws {
  let isTLS = world.random(below: 3) == 0
  let (begun, isReady, isLateConnected) = (Shared(0), Shared(false), Shared(false))
  let server = world.node("server") { loop in
    let done: Completion<ShutdownReport> = ledger.ask("shutdown") { result in
      if (try? result.get().count) != 0 { ledger.complain("the report: \(result)") }
    }
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(3600), done)
    var tasks: [LoopTask<Void, any Error>] = []
    func serve(_ connection: ByteStream) -> LoopTask<Void, any Error> {
      loop.spawn { () async throws in
        guard let line = try await connection.read(exactly: 2000).value else {
          throw Violation("no question")
        }
        begun.value += 1
        // The signal comes meanwhile.
        try await loop.sleep(for: .seconds(loop.draw(20))).value
        try await connection.write([line, line]).value
        try await connection.shutdown().value
        while try await connection.read().value != nil {}
        try await connection.close().value
      }
    }
    isReady.value = true
    if isTLS {
      let listener = try loop.tls.listen(port: 7, Certificates.server(loop), handshakeTimeout: .seconds(3600))
      for try await connection in listener { tasks.append(serve(connection)) }
    } else {
      for try await connection in try loop.tcp.listen(port: 7) { tasks.append(serve(connection)) }
    }
    try expect(loop.isShuttingDown, "the listener has ended by itself")
    for task in tasks { try await task.value }
  }
  for client in 0..<3 {
    world.node("client \(client)") { loop in
      let stream = try await (isTLS ? Transport.tls : .tcp).connect(loop)
      try await stream.write(message(client, 2000)).value
      let answer = try await stream.read(exactly: 4000).value
      try expect(
        answer == Bytes(Array(message(client, 2000)) + Array(message(client, 2000))), "another answer")
      try expect(try await stream.read().value == nil, "no end")
      try await stream.shutdown().value
      stream.close()
    }
  }
  // Once each has begun, at any time.
  while !isReady.value || begun.value < 3 { try world.sleep(for: .milliseconds(100)) }
  // Another one who has been connected for a while by then, and perhaps hasn't asked.
  if world.weather.loss == 0, world.weather.jitter <= .milliseconds(100) {
    world.node("late client") { loop in
      let context = try Certificates.client(loop)
      let plain = try await Transport.tcp.connect(loop)
      isLateConnected.value = true
      let stream =
        isTLS
        ? try await loop.tls.secure(plain, context, host: "server", handshakeTimeout: .seconds(3600)).value
        : plain
      try await stream.write(message(9, 2000)).value
      let answer = try await stream.read(exactly: 4000).value
      try expect(answer?.count == 4000, "the late client has got another answer")
      try expect(try await stream.read().value == nil, "no end")
      try await stream.shutdown().value
      stream.close()
    }
    while !isLateConnected.value { try world.sleep(for: .milliseconds(20)) }
    try world.sleep(for: .milliseconds(130 + Int64(world.random(below: 300))))
  } else {
    try world.sleep(for: .milliseconds(Int64(world.random(below: 3000))))
  }
  world.signal(server, .terminate)
}

/// Idle connections learn that their server ends, and those that don't end in time are cut off and counted.
private func quiescing(_ world: World, _ ledger: Ledger) throws {
  let stubborn = Int(world.random(below: 3))
  let (open, isOver) = (Shared(0), Shared(false))
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    var tasks: [LoopTask<Void, any Error>] = []
    let serving = loop.spawn { () async throws in
      for try await connection in listener {
        let told: Completion<Void> = ledger.ask("the end of the service") { result in
          if case .success = result, !connection.isQuiescing { ledger.complain("told too early") }
          if case .success = result, !isOver.value { ledger.complain("told before the end") }
        }
        connection.quiescing { result in
          told(result)
          if case .success = result { connection.readTimeout = .milliseconds(250) }
        }
        tasks.append(
          loop.spawn { () async throws in
            guard let kind = try await connection.read(exactly: 1).value else { return }
            open.value += 1
            do throws(UVError) {
              if kind[0] == 1 { try await loop.sleep(for: .seconds(9000)).value }
              while let bytes = try await connection.read().value { try await connection.write(bytes).value }
            } catch {}
            connection.close()
          })
      }
    }
    while open.value < 5 { try await loop.sleep(for: .milliseconds(50)).value }
    isOver.value = true
    let start = loop.clock.now
    let limit = Duration.seconds(5 + loop.draw(10))
    let report = try await loop.shutdownGracefully(within: limit).value
    let time = start.duration(to: loop.clock.now)
    try expect(report.count == stubborn, "\(report.count) were cut off in place of \(stubborn)")
    try expect(stubborn == 0 || time >= limit, "the limit \(limit) took \(time)")
    try expect(stubborn > 0 || time < limit, "idle connections have taken \(time)")
    try await serving.value
    // Their tasks sleep still.
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
  }
  for client in 0..<5 {
    world.node("client \(client)") { loop in
      let connection = try await Transport.tcp.connect(loop)
      try await connection.write(Bytes([client < stubborn ? 1 : 0])).value
      do throws(UVError) {
        while try await connection.read().value != nil {}
      } catch { try expect(error.code == .connectionReset, "\(error)") }
      connection.close()
    }
  }
}

/// Signals reach all who wait for them, and nobody else.
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
    try expect(seen[0].value >= 1 && seen[0].value <= 3, "the first was told \(seen[0].value) times of 3")
    try expect(seen[1].value >= 1 && seen[1].value <= 3, "the second was told \(seen[1].value) times of 3")
    try expect(seen[2].value == 1, "the other signal was told \(seen[2].value) times")
  }
  while !isReady.value { try world.sleep(for: .milliseconds(10)) }
  for _ in 0..<3 {
    world.signal(host, .user1)
    try world.sleep(for: .milliseconds(Int64(world.random(below: 500))))
  }
  world.signal(host, .user2)
}
