import Testing
import UV
import UVSimulation

/// What a crash leaves of a disk, and disks that fail.
@Suite struct DurabilityTests {
  /// Runs `write`, crashes the host, and returns what `look` finds then.
  @discardableResult static func afterCrash<T: Sendable>(
    _ seed: UInt64, weather: Weather = .calm, found: Log<T>,
    _ write: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void,
    _ look: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
  ) throws -> Simulation {
    let hasWritten = Log<Bool>()
    return try Simulation(seed: seed, weather: weather) { world in
      let host = world.host("a") { loop in
        if hasWritten.values.isEmpty {
          try await write(loop)
          hasWritten.append(true)
          try await loop.sleep(for: .seconds(100)).value
        } else {
          found.append(try await look(loop))
        }
      }
      try world.sleep(for: .seconds(10))
      #expect(hasWritten.values == [true])
      world.bounce(host)
    }
  }

  @Test("What the world writes stays, also in a file that the host has moved there and not synced")
  func writtenByTheWorld() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      let (found, starts) = (Log<Bytes>(), Log<Void>())
      try Simulation(seed: seed) { world in
        let host = world.host("a") { loop in
          starts.append(())
          if starts.values.count == 1 {
            try await loop.files.writeFile("/tmp/a", "old").value
            try await loop.files.writeFile("/tmp/a", "own", atomically: true).value
            try await loop.sleep(for: .seconds(100)).value
          } else {
            found.append(try await loop.files.readFile("/tmp/a").value)
          }
        }
        try world.sleep(for: .seconds(2))
        world.write("the world's".utf8, to: "/tmp/a", of: host)
        world.bounce(host)
      }
      #expect(found.values == ["the world's"], "seed \(seed)")
    }
  }

  /// Everything that many seeds find.
  static func outcomes<T: Hashable & Sendable>(
    _ seeds: ClosedRange<UInt64> = 1...100, weather: Weather = .calm,
    _ write: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void,
    _ look: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
  ) throws -> Set<T> {
    let found = Log<T>()
    for seed in seeds { try afterCrash(seed, weather: weather, found: found, write, look) }
    return Set(found.values)
  }

  /// The names in a directory.
  static func names(_ loop: EventLoop, _ path: String = "/tmp") async throws(UVError) -> [String] {
    try await loop.files.scandir(path).value.map { "\($0.name)" }.sorted()
  }

  static func syncDirectory(_ loop: EventLoop, _ path: String = "/tmp") async throws(UVError) {
    let directory = try await loop.files.open(path).value
    try await directory.sync().value
    try await directory.close().value
  }

  static func text(_ loop: EventLoop, _ path: String = "/tmp/a") async -> String {
    guard let bytes = try? await loop.files.readFile(path).value else { return "none" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("What was written and not synced is lost, torn or there") func bytes() throws {
    let size = 2000
    let found = try Self.outcomes { loop in
      let file = try await loop.files.open("/tmp/a", .readWrite, options: [.create]).value
      try await file.write(Bytes(repeating: UInt8(ascii: "o"), count: size)).value
      try await file.sync().value
      try await Self.syncDirectory(loop)
      try await file.write(Bytes(repeating: UInt8(ascii: "n"), count: size), at: 0).value
    } _: { loop in
      await Self.text(loop)
    }
    #expect(found.contains(String(repeating: "o", count: size)))
    #expect(found.contains(String(repeating: "n", count: size)))
    // Torn, and in any order.
    #expect(
      found.count > 10 && found.allSatisfy { $0.count == size && $0.allSatisfy { $0 == "o" || $0 == "n" } })
    #expect(found.contains { $0.hasPrefix("o") && $0.hasSuffix("n") })
    #expect(found.contains { $0.hasPrefix("n") && $0.hasSuffix("o") })
  }

  @Test("What a sync or a data sync has confirmed is there, and so is what O_DSYNC wrote", arguments: 0...2)
  func synced(way: Int) throws {
    let found = try Self.outcomes(1...30) { loop in
      var options: FileDescriptor.OpenOptions = [.create]
      if way == 2 { options.insert(.init(rawValue: 0o10000)) }
      let file = try await loop.files.open("/tmp/a", .readWrite, options: options).value
      try await file.write(Bytes("one".utf8)).value
      try await file.write(Bytes("two".utf8)).value
      if way == 0 { try await file.sync().value }
      if way == 1 { try await file.dataSync().value }
      try await Self.syncDirectory(loop)
    } _: { loop in
      await Self.text(loop)
    }
    #expect(found == ["onetwo"])
  }

  @Test("A file that is cut and written anew without a sync may be empty, old or new") func truncation()
    throws
  {
    let found = try Self.outcomes { loop in
      try await loop.files.writeFile("/tmp/a", Bytes("old".utf8), atomically: true).value
      try await Self.syncDirectory(loop)
      try await loop.files.writeFile("/tmp/a", Bytes("new".utf8)).value
    } _: { loop in
      await Self.text(loop)
    }
    #expect(found.isSuperset(of: ["old", "new", ""]))
  }

  @Test("A name without a sync of its directory may be undone, and the file with it") func names() throws {
    let found = try Self.outcomes { loop in
      try await loop.files.writeFile("/tmp/kept", Bytes("1".utf8), atomically: true).value
      try await Self.syncDirectory(loop)
      let file = try await loop.files.open("/tmp/new", .readWrite, options: [.create]).value
      try await file.sync().value
      try await loop.files.unlink("/tmp/kept").value
    } _: { loop in
      try await Self.names(loop)
    }
    #expect(found == [["kept"], ["kept", "new"], ["new"], []])
  }

  @Test("A rename happens or it doesn't: a file is written whole in a crash if it is written aside")
  func renames()
    throws
  {
    let found = try Self.outcomes { loop in
      try await loop.files.writeFile("/tmp/a", Bytes("old".utf8), atomically: true).value
      try await Self.syncDirectory(loop)
      try await loop.files.writeFile("/tmp/a", Bytes("new".utf8), atomically: true).value
    } _: { loop in
      await Self.text(loop)
    }
    #expect(found == ["old", "new"])
    let synced = try Self.outcomes(1...30) { loop in
      try await loop.files.writeFile("/tmp/a", Bytes("old".utf8), atomically: true).value
      try await loop.files.rename("/tmp/a", to: "/tmp/b").value
      try await Self.syncDirectory(loop)
    } _: { loop in
      try await Self.names(loop)
    }
    #expect(synced == [["b"]])
  }

  @Test("What was moved into a new directory is at one of the two places") func moves() throws {
    let found = try Self.outcomes { loop in
      try await loop.files.writeFile("/tmp/a", Bytes("1".utf8), atomically: true).value
      try await Self.syncDirectory(loop)
      try await loop.files.mkdir("/tmp/new").value
      try await loop.files.rename("/tmp/a", to: "/tmp/new/a").value
      if Bool.random() { try await Self.syncDirectory(loop, "/tmp/new") }
      if Bool.random() { try await loop.files.rename("/tmp/new", to: "/tmp/newer").value }
    } _: { loop in
      var places: [String] = []
      for place in ["/tmp/a", "/tmp/new/a", "/tmp/newer/a"] where await Self.text(loop, place) == "1" {
        places.append(place)
      }
      return places
    }
    #expect(found == [["/tmp/a"], ["/tmp/new/a"], ["/tmp/newer/a"]])
  }

  @Test("Removed directories come back empty or stay away, and nothing is in two places") func directories()
    throws
  {
    let found = try Self.outcomes { loop in
      try await loop.files.mkdir("/tmp/d").value
      try await loop.files.writeFile("/tmp/d/x", Bytes("1".utf8), atomically: true).value
      try await Self.syncDirectory(loop, "/tmp/d")
      try await Self.syncDirectory(loop)
      try await loop.files.rename("/tmp/d/x", to: "/tmp/x").value
      try await loop.files.rmdir("/tmp/d").value
    } _: { loop in
      var all = try await Self.names(loop)
      if all.contains("d") { all += try await Self.names(loop, "/tmp/d").map { "d/\($0)" } }
      return all
    }
    #expect(found == [["d", "d/x"], ["d", "x"], ["x"]])
  }

  static func write(_ loop: EventLoop) async throws {
    try await loop.files.writeFile("/tmp/a", Bytes("new".utf8)).value
  }

  @Test("Without losses all of it is there, and with each one none; a seed repeats them") func chances()
    throws
  {
    let none = try Self.outcomes(
      1...20, weather: Weather(unsyncedLoss: 0), { try await Self.write($0) }, { await Self.text($0) })
    #expect(none == ["new"])
    let all = try Self.outcomes(
      1...20, weather: Weather(unsyncedLoss: 1), { try await Self.write($0) }, { await Self.text($0) })
    #expect(all == ["none"])
    for seed in 1...10 as ClosedRange<UInt64> {
      let (one, two) = (Log<String>(), Log<String>())
      let first = try Self.afterCrash(seed, found: one, { try await Self.write($0) }, { await Self.text($0) })
      let second = try Self.afterCrash(
        seed, found: two, { try await Self.write($0) }, { await Self.text($0) })
      #expect(first.digest == second.digest && one.values == two.values)
    }
    let left = Log<String>()
    try Simulation(seed: 1, weather: Weather(unsyncedLoss: 1), faults: []) { world in
      let host = world.host("a") { loop in
        if await Self.text(loop) == "new" { left.append("new") } else { try await Self.write(loop) }
        try await loop.sleep(for: .seconds(100)).value
      }
      try world.sleep(for: .seconds(1))
      world.bounce(host)
    }
    #expect(left.values == ["new"])
  }

  @Test("A process that is killed leaves its files, and its peers are notified") func kill() throws {
    let found = Log<String>()
    try Simulation(seed: 1, weather: Weather(unsyncedLoss: 1)) { world in
      let server = world.host("server") { loop in
        if await Self.text(loop) == "new" { return found.append("file") }
        try await loop.files.writeFile("/tmp/a", Bytes("new".utf8)).value
        for try await connection in try loop.tcp.listen(port: 7) {
          _ = loop.spawn { do { for try await _ in connection {} } catch {} }
        }
      }
      let client = world.host("client") { loop in
        try await loop.sleep(for: .seconds(1)).value
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        #expect(try await connection.read(exactly: 1).value == nil)
        found.append("end")
        connection.close()
      }
      try world.sleep(for: .seconds(5))
      world.signal(server, .kill)
      try world.wait(for: client)
      world.bounce(server)
    }
    #expect(found.values == ["end", "file"])
  }
}
