import Testing
import UV
import UVSimulation

/// Files and directories that are watched.
@Suite struct WatchTests {
  @Test("A watcher hears of each change in its directory, in order, also in a storm")
  func directory() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      try Simulation(seed: seed, weather: .storm) { world in
        world.host("a") { loop in
          try await loop.files.mkdir("/tmp/watched").value
          let watcher = try loop.files.watch("/tmp/watched")
          let writing = loop.spawn { () async throws(UVError) in
            for name in ["a", "b"] {
              try await loop.files.writeFile("/tmp/watched/\(name)", Bytes("1".utf8)).value
            }
            try await loop.files.rename("/tmp/watched/a", to: "/tmp/watched/c").value
            try await loop.files.chmod("/tmp/watched/b", [.ownerRead]).value
            try await loop.files.unlink("/tmp/watched/c").value
            try await loop.files.mkdir("/tmp/watched/end").value
          }
          var kinds: [String: FileEvent.Kinds] = [:]
          while let event = try await watcher.next().value {
            kinds[try #require(event.name).string, default: []].formUnion(event.kinds)
            if event.name == "end" { break }
          }
          try await writing.value
          #expect(kinds["a"] == [.rename, .change])
          #expect(kinds["b"] == [.rename, .change])
          #expect(kinds["c"]?.contains(.rename) == true)
          watcher.close()
        }
      }
    }
  }

  @Test("A file that another one replaces is gone for its watcher; a crash ends what was watched")
  func replaced() throws {
    let ends = Log<UVError.Code?>()
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        try await loop.files.writeFile("/tmp/settings", Bytes("1".utf8)).value
        let watcher = try loop.files.watch("/tmp/settings")
        let replacing = loop.spawn { () async throws(UVError) in
          try await loop.sleep(for: .seconds(1)).value
          try await loop.files.writeFile("/tmp/settings", Bytes("2".utf8), atomically: true).value
        }
        do throws(UVError) {
          while try await watcher.next().value != nil {}
          ends.append(nil)
        } catch { ends.append(error.code) }
        watcher.close()
        try await replacing.value
        let other = try loop.files.watch("/tmp")
        _ = try await other.next().value
      }
      try world.sleep(for: .seconds(10))
      world.crash(host)
    }
    #expect(ends.values == [.noSuchFile])
  }

  @Test("A watcher of a directory and all below it reports what a folder holds that has come")
  func tree() throws {
    let names = Log<String>()
    try Simulation(seed: 1, weather: .storm) { world in
      world.client("a") { loop in
        for path in ["/tmp/watched", "/tmp/other", "/tmp/other/inner"] {
          try await loop.files.mkdir(path).value
        }
        let watcher = try loop.files.watch("/tmp/watched", recursive: true)
        while try await watcher.next().value?.kinds.contains(.complete) == false {}
        try await loop.files.rename("/tmp/other", to: "/tmp/watched/come").value
        for _ in 0..<2 { names.append(try await watcher.next().value?.name?.string ?? "") }
        // What comes below it is reported, too.
        try await loop.files.mkdir("/tmp/watched/come/inner/last").value
        names.append(try await watcher.next().value?.name?.string ?? "")
        watcher.close()
      }
    }
    #expect(names.values == ["come", "come/inner", "come/inner/last"])
  }
}
