import Glibc
import Testing
import UV
import UVSimulation

/// Disks that fail or are full.
@Suite struct DiskFaultTests {
  static func code(_ body: nonisolated(nonsending) () async throws(UVError) -> Void) async -> UVError.Code? {
    do { try await body() } catch { return error.code }
    return nil
  }

  @Test("A disk that fails says EIO, and what a failed sync should have kept is lost") func broken() throws {
    let codes = Log<UVError.Code?>()
    let found = Log<String>()
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        if codes.values.isEmpty {
          let file = try await loop.files.open("/tmp/a", .readWrite, options: [.create]).value
          try await DurabilityTests.syncDirectory(loop)
          try await file.write(Bytes("lost".utf8)).value
          try await loop.sleep(for: .seconds(2)).value
          codes.append(await Self.code { () async throws(UVError) in try await file.sync().value })
          codes.append(
            await Self.code { () async throws(UVError) in _ = try await file.read(1, at: 0).value })
          codes.append(
            await Self.code { () async throws(UVError) in try await file.write(Bytes("x".utf8), at: 9).value }
          )
          try await loop.sleep(for: .seconds(2)).value
          try await file.write(Bytes("kept".utf8), at: 4).value
          try await file.sync().value
          #expect(await DurabilityTests.text(loop) == "lostkept")
          try await loop.sleep(for: .seconds(100)).value
        }
        found.append(await DurabilityTests.text(loop))
      }
      try world.sleep(for: .seconds(1))
      world.breakDisk(of: host)
      try world.sleep(for: .seconds(2))
      world.repairDisk(of: host)
      try world.sleep(for: .seconds(5))
      world.bounce(host)
    }
    #expect(codes.values == [.init(rawValue: -EIO), .init(rawValue: -EIO), .init(rawValue: -EIO)])
    #expect(found.values == ["\0\0\0\0kept"])
  }

  @Test("A full disk takes what there is room for, and has room again when files have gone") func full()
    throws
  {
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        try await loop.sleep(for: .seconds(1)).value
        #expect(
          await Self.code { () async throws(UVError) in
            try await loop.files.writeFile("/tmp/a", Bytes(repeating: 1, count: 20_000)).value
          } == .noSpace)
        #expect(try await loop.files.stat("/tmp/a").value.size > 9000)
        let room = try await loop.files.statfs("/tmp").value
        #expect(room.freeBlocks == 0 && room.blocks == 2)
        try await loop.files.unlink("/tmp/a").value
        try await loop.files.writeFile("/tmp/a", Bytes(repeating: 1, count: 9000)).value
        try await loop.files.writeFile("/tmp/b", Bytes()).value
      }
      world.limitDisk(10_000, of: host)
    }
  }

  @Test("A tree is copied, moved and removed, and a disk that is full leaves no half file")
  func trees() throws {
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        try await loop.sleep(for: .seconds(1)).value
        let (files, progress) = (loop.files, FileTreeProgress())
        try await files.makedirs("/tmp/tree/a/b").value
        try await files.writeFile("/tmp/tree/a/b/c", Bytes(repeating: 1, count: 4000)).value
        try await files.symlink(to: "a/b", at: "/tmp/tree/link").value
        try await files.copytree("/tmp/tree", to: "/tmp/copy", progress: progress).value
        #expect((progress.files, progress.folders, progress.bytes) == (2, 3, 4000))
        #expect(try await files.readlink("/tmp/copy/link").value == "a/b")
        #expect(
          await Self.code { () async throws(UVError) in
            try await files.copytree("/tmp/copy", to: "/tmp/other").value
          } == .noSpace)
        await #expect(throws: UVError.self) { try await files.lstat("/tmp/other/a/b/c").value }
        try await files.rmtree("/tmp/other").value
        try await files.move("/tmp/copy", to: "/tmp/moved").value
        try await files.rmtree("/tmp/tree").value
        #expect(try await files.readFile("/tmp/moved/link/c").value.count == 4000)
        #expect(try await files.scandir("/tmp").value.map { "\($0.name)" } == ["moved"])
      }
      world.limitDisk(10_000, of: host)
    }
  }

  @Test("A disk may be full from the beginning") func tiny() throws {
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        #expect(
          await Self.code { () async throws(UVError) in
            try await loop.files.writeFile("/tmp/a", Bytes("x".utf8)).value
          } == .noSpace)
      }
      world.limitDisk(1, of: host)
    }
  }

  @Test("Reads and writes of files may be short, and the library goes on") func short() throws {
    let run = try Simulation(seed: 1, traceLength: 1 << 16) { world in
      let host = world.host("a") { loop in
        try await loop.sleep(for: .seconds(1)).value
        let bytes = Bytes((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        try await loop.files.writeFile("/tmp/a", bytes).value
        #expect(try await loop.files.readFile("/tmp/a").value == bytes)
        let file = try await loop.files.open("/tmp/b", .readWrite, options: [.create]).value
        try await file.write([bytes, bytes]).value
        #expect(try await file.read(10, at: 0).value.count == 7)
        try await file.close().value
        #expect(try await loop.files.readFile("/tmp/b").value == Bytes(Array(bytes) + Array(bytes)))
      }
      world.limitFileTransfers(7, of: host)
    }
    #expect(run.trace.count { $0.call == "write" && $0.result == 7 } > 400)
  }

  @Test("The weather has calls about files fail, each a fault with a number", arguments: 1...10)
  func weather(seed: UInt64) throws {
    func run(_ faults: [Int]? = nil, _ codes: Log<UVError.Code>) throws -> Simulation {
      try Simulation(seed: seed, weather: Weather(diskError: 0.1), faults: faults) { world in
        world.host("a") { loop in
          for round in 0..<50 {
            do throws(UVError) {
              try await loop.files.writeFile("/tmp/\(round)", Bytes("some".utf8), atomically: true).value
              _ = try await loop.files.readFile("/tmp/\(round)").value
            } catch { codes.append(error.code) }
          }
        }
      }
    }
    let (one, two, none) = (Log<UVError.Code>(), Log<UVError.Code>(), Log<UVError.Code>())
    let (first, second) = (try run(nil, one), try run(nil, two))
    #expect(first.digest == second.digest && one.values == two.values)
    #expect(Set(one.values).isSubset(of: [.noSpace, .init(rawValue: -EIO), .init(rawValue: -EINTR)]))
    #expect(one.values.count > 5 && first.faultCount >= one.values.count)
    _ = try run([], none)
    #expect(none.values.isEmpty)
  }
}
