import UV
import UVSimulation
import UVTLS

/// A server that shuts down on a signal, while requests are under way, answers all that it has accepted, and
/// those that wait in the system's queue or shake hands at that moment.
func graceful(_ world: World, _ ledger: Ledger) throws {
  let isTLS = world.random(below: 2) == 0
  let (begun, isReady, hasSignalled) = (Shared(0), Shared(false), Shared(false))
  if world.random(below: 2) == 0 { world.setWeather(world.weather.withoutLongWaits) }
  let server = world.node("server") { loop in
    let done: Completion<ShutdownReport> = ledger.ask("shutdown") { result in
      if (try? result.get().count) != 0 { ledger.complain("the report: \(result)") }
    }
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(3600), done)
    var tasks: [LoopTask<Void, any Error>] = []
    // A peer of TLS that comes late has a second for its handshake.
    let isComputing = !isTLS && loop.isDrawn(oneIn: 2)
    func serve(_ connection: ByteStream) -> LoopTask<Void, any Error> {
      loop.spawn { () async throws in
        guard let line = try await connection.read(exactly: 2000).value else { return }
        begun.value += 1
        // The signal comes meanwhile, and may find the loop's thread busy.
        for _ in 0..<(isComputing ? 4 : 0) {
          try await loop.sleep(for: .milliseconds(Int64(loop.draw(300)))).value
          loop.block(for: .milliseconds(500))
        }
        try await loop.sleep(for: .seconds(loop.draw(20))).value
        try await connection.write([line, line]).value
        try await connection.shutdown().value
        while try await connection.next().value != nil {}
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
    // One that came late may have been cut off.
    for task in tasks { do { try await task.value } catch { if !hasSignalled.value { throw error } } }
  }
  for client in 0..<3 {
    world.node("client \(client)") { loop in
      try await ask(try await (isTLS ? Transport.tls : .tcp).connect(loop), client)
    }
  }
  // Once each has begun, at any time.
  while !isReady.value || begun.value < 3 { try world.sleep(for: .milliseconds(100)) }
  // Others come meanwhile. Those that the server's system has let in before the signal get an answer, and so
  // do those that have come to shake hands.
  let mayCome = world.weather.hasNoLongWaits
  let (connected, letIn) = (Shared(Set<Int>()), Shared(Set<Int>()))
  for client in 3..<(mayCome ? 7 : 3) {
    let wait = Duration.milliseconds(Int64(world.random(below: 1500)))
    world.node("client \(client)") { loop in
      let context = try Certificates.client(loop)
      try await loop.sleep(for: wait).value
      do {
        let plain = try await loop.tcp.connect(host: "server", port: 7).value
        connected.value.insert(client)
        try await loop.sleep(for: .milliseconds(Int64(loop.draw(200)))).value
        let stream =
          isTLS
          ? try await loop.tls.secure(plain, context, host: "server", handshakeTimeout: .seconds(3600)).value
          : plain
        try await ask(stream, client)
      } catch let error as UVError {
        if !hasSignalled.value || letIn.value.contains(client) { throw error }
      }
    }
  }
  try world.sleep(for: .milliseconds(Int64(world.random(below: 1500))))
  letIn.value = connected.value
  // The last packet of their connects arrives by then.
  try world.sleep(for: .milliseconds(130))
  hasSignalled.value = true
  world.signal(server, .terminate)
}

/// Asks the server, and ends when it does.
private nonisolated(nonsending) func ask(_ stream: ByteStream, _ client: Int) async throws {
  defer { stream.close() }
  try await stream.write(message(client, 2000)).value
  let answer = try await stream.read(exactly: 4000).value
  let question = Array(message(client, 2000))
  try expect(answer == Bytes(question + question), "client \(client) has got another answer")
  try expect(try await stream.next().value == nil, "no end")
  try await stream.shutdown().value
}

extension Weather {
  /// Whether whatever is sent arrives soon.
  var hasNoLongWaits: Bool { loss == 0 && jitter <= .milliseconds(100) }

  /// The same in other respects, but so that whatever is sent arrives soon.
  var withoutLongWaits: Weather {
    var weather = self
    weather.loss = 0
    weather.jitter = min(jitter, .milliseconds(100))
    return weather
  }
}

/// Idle connections learn that their server ends, and those that don't end in time are cut off and counted.
func quiescing(_ world: World, _ ledger: Ledger) throws {
  let stubborn = Int(world.random(below: 3))
  let (open, isOver) = (Shared(0), Shared(false))
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    var tasks: [LoopTask<Void, any Error>] = []
    let serving = loop.spawn { () async throws in
      for try await connection in listener {
        let noted: Completion<Void> = ledger.ask("the end of the service") { result in
          if case .success = result, !connection.isQuiescing { ledger.complain("reported too early") }
          if case .success = result, !isOver.value { ledger.complain("reported before the end") }
        }
        connection.quiescing { result in
          noted(result)
          if case .success = result { connection.readTimeout = .milliseconds(250) }
        }
        tasks.append(
          loop.spawn { () async throws in
            guard let kind = try await connection.read(exactly: 1).value else { return }
            open.value += 1
            do throws(UVError) {
              if kind[0] == 1 { try await loop.sleep(for: .seconds(9000)).value }
              while let bytes = try await connection.next().value { try await connection.write(bytes).value }
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
        while try await connection.next().value != nil {}
      } catch { try expect(error.code == .connectionReset, "\(error)") }
      connection.close()
    }
  }
}
