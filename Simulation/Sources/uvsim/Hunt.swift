import UV
import UVSimulation

/// Something was not as it has to be.
struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
}

/// What a run has seen; one thread of a world runs at a time.
// Sound: see above.
final class Notes<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Worlds whose rules no seed may break.
private func worlds() -> [(name: String, world: (World) throws -> Void)] {
  [
    ("echo", echoWorld), ("close", closeWorld), ("timers", timerWorld), ("messages", messageWorld),
    ("shutdown", shutdownWorld),
  ]
}

/// Bytes of which each place has its own value.
private func message(_ number: Int, _ count: Int) -> Bytes {
  Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &* 31) })
}

/// Echoes in several styles. Each byte comes back once, in order.
private func echoWorld(_ world: World) throws {
  world.host("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    var number = 0
    for try await connection in listener {
      number += 1
      if number % 2 == 0 {
        // In two writes of one callback.
        connection.start { result in
          guard case .success(let bytes?) = result else { return }
          let half = bytes.startIndex + bytes.count / 2
          connection.write(Bytes(bytes[..<half])) { _ in }
          connection.write(Bytes(bytes[half...])) { _ in }
        }
      } else {
        _ = loop.spawn {
          do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
        }
      }
    }
  }
  for client in 1...2 {
    world.client("client \(client)") { loop in
      let connection = try await loop.tcp.connect(host: "server", port: 7).value
      for round in 1...8 {
        let parts = [message(round, round * 700), message(round + 1, 3), message(round + 2, round * 9000)]
        let writing = loop.spawn { () async throws(UVError) in
          if round % 2 == 0 {
            try await connection.write(parts).value
          } else {
            for part in parts { try await connection.write(part).value }
          }
        }
        for part in parts {
          let answer = try await connection.read(exactly: part.count).value
          if answer != part { throw Violation("round \(round): other bytes came back") }
        }
        try await writing.value
      }
      connection.close()
    }
  }
}

/// What was said to be written before a close arrives. If the system takes whole writes, all of them do.
private func closeWorld(_ world: World) throws {
  let (received, told) = (Notes(0), Notes(0))
  let takesAll = world.weather.cut == 0 && world.weather.refusal == 0
  world.client("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    let connection = try await listener.accept().value
    do { for try await bytes in connection { received.value += bytes.count } } catch {}
    if received.value < told.value {
      throw Violation("\(received.value) bytes have arrived of \(told.value)")
    }
    if takesAll, received.value != 6300 { throw Violation("\(received.value) bytes of 6300 have arrived") }
  }
  world.host("client") { loop in
    let connection = try await loop.tcp.connect(host: "server", port: 7).value
    for part in 1...6 {
      connection.write(message(part, part * 300)) { if case .success = $0 { told.value += part * 300 } }
    }
    connection.close()
    try await loop.sleep(for: .seconds(100)).value
  }
}

/// No timer is early, and dates come in their order.
private func timerWorld(_ world: World) throws {
  for name in ["a", "b"] {
    world.host(name) { loop in
      for round in 0..<20 {
        let length = Duration.nanoseconds(Int64(loop.random(4_000_000)) + 1)
        let start = loop.clock.now
        try await loop.sleep(for: length).value
        if start.duration(to: loop.clock.now) < length {
          throw Violation("round \(round): a sleep was early")
        }
        let limit = Duration.milliseconds(Int64(loop.random(30)) + 1)
        let late = loop.clock.now
        do throws(UVError) {
          try await loop.sleep(for: .seconds(5)).timeout(after: limit).value
        } catch {
          if late.duration(to: loop.clock.now) < limit {
            throw Violation("round \(round): a limit was early")
          }
        }
      }
    }
  }
}

/// What other threads send to a loop runs, once, in order.
private func messageWorld(_ world: World) throws {
  world.host("a") { loop in
    let (executor, seen) = (loop.executor, Notes<[Int]>([]))
    for round in 0..<20 {
      let sending = loop.work {
        for number in 0..<10 { try? executor.execute { _ in seen.value.append(round * 10 + number) } }
      }
      let others = (0..<3).map { _ in loop.work { 1 } }
      try await sending.value
      for other in others { _ = try await other.value }
      while seen.value.count < (round + 1) * 10 {
        try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(1)).value
      }
      if seen.value != Array(0..<(round + 1) * 10) {
        throw Violation("round \(round): \(seen.value.suffix(12))")
      }
      // With nothing else to do, a message alone wakes the loop.
      let value = try await executor.submit { _ in round }
      if value != round { throw Violation("another value") }
      await Task.detached { try? executor.execute { _ in seen.value.append(-1) } }.value
      try await executor.submit { _ in () }
      seen.value.removeLast()
    }
  }
}

/// A server that shuts down on a signal answers what it has accepted.
private func shutdownWorld(_ world: World) throws {
  let server = world.host("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(600)) { _ in }
    for try await connection in listener {
      _ = loop.spawn {
        do {
          let line = try await connection.read(exactly: 2000).value
          // The signal comes meanwhile.
          try await loop.sleep(for: .seconds(10)).value
          if let line { try await connection.write([line, line]).value }
          try await connection.close().value
        } catch {}
      }
    }
  }
  world.client("client") { loop in
    do throws(UVError) {
      let connection = try await loop.tcp.connect(host: "server", port: 7).value
      try await connection.write(message(1, 2000)).value
      let answer = try await connection.read(exactly: 4000).value
      if answer == nil { throw UVError(.endOfFile, operation: "read") }
      connection.close()
    } catch {
      throw Violation("no answer: \(error)")
    }
  }
  try world.sleep(for: .seconds(3))
  world.signal(server, .terminate)
}

extension EventLoop {
  /// A number below `bound`, by the host's random bytes.
  fileprivate func random(_ bound: Int) -> Int { Int.random(in: 0..<bound) }
}

/// Runs each world with the seeds from 1 on. Returns whether none has failed.
func hunt(_ seeds: UInt64, verbose: Bool) -> Bool {
  var isClean = true
  for (name, world) in worlds() {
    var found: (UInt64, SimulationError)?
    for seed in 1...seeds where found == nil {
      do { try Simulation(seed: seed, weather: seed % 2 == 0 ? .storm : .swarm(seed), world) } catch {
        found = (seed, error)
      }
    }
    if let (seed, error) = found {
      isClean = false
      print(
        "\(name): seed \(seed): \(verbose ? error.description : String(error.description.prefix { $0 != "\n" }))"
      )
    }
  }
  if isClean { print("nothing found in \(seeds) seeds of \(worlds().count) worlds") }
  return isClean
}
