import Glibc
import UV
import UVSimulation

/// The members of a group serve, answer and end within a bound while one of them is stuck again and again.
func fairGroup(_ world: World, _ ledger: Ledger) throws {
  world.setWeather(world.weather.withoutLongWaits)
  let isTurned = world.random(below: 2) == 0
  let stall = 100_000 + Int(world.random(below: 800_000))
  // The stuck member takes a turn for each of a few callbacks of a connection.
  let bound = Duration.microseconds(Int64(stall)) * 12 + .seconds(5)
  let (over, isReady, isStuck) = (Shared(0), Shared(false), Shared(true))
  world.node("server", mayBeBusy: false) { loop in
    let group = try EventLoopGroup(count: 3)
    try await group.serve(port: 7, balance: isTurned ? .roundRobin : .system) { connection in
      if let line = try? await connection.readLine(limit: 100).value {
        try? await connection.write([line, Bytes("\n")]).value
      }
      connection.close()
    }
    // One that doesn't listen for the others.
    let stuck = group.executors[2]
    try stuck.execute { stuckLoop in
      stuckLoop.spawn {
        while isStuck.value {
          usleep(UInt32(stall))
          do { try await stuckLoop.sleep(for: .milliseconds(1)).value } catch { break }
        }
      }
    }
    isReady.value = true
    while over.value < 4 {
      // A question to a member that isn't stuck.
      let start = loop.clock.now
      let number = loop.draw(2)
      let answer = try await group.executors[number].submit(on: loop) { _ in number }.value
      try expect(answer == number, "another answer")
      let time = start.duration(to: loop.clock.now)
      try expect(time < .milliseconds(100), "member \(number) answers after \(time)")
      try await loop.sleep(for: .milliseconds(50)).value
    }
    isStuck.value = isTurned
    let start = loop.clock.now
    _ = await group.shutdownGracefully(within: .seconds(10))
    let time = start.duration(to: loop.clock.now)
    try expect(time < .seconds(10) + bound, "the group has ended after \(time)")
    isStuck.value = false
  }
  for client in 0..<4 {
    world.node("client \(client)", mayBeBusy: false) { loop in
      while !isReady.value { try await loop.sleep(for: .milliseconds(20)).value }
      for _ in 0..<3 {
        let start = loop.clock.now
        let connection = try await Transport.tcp.connect(loop)
        try await connection.write("hello\n").value
        let answer = try await connection.readLine(limit: 100).value
        try expect(answer == Bytes("hello"), "another answer")
        connection.close()
        let time = start.duration(to: loop.clock.now)
        try expect(time < bound, "client \(client) is served after \(time)")
      }
      over.value += 1
    }
  }
}
