import Testing
import UV
import UVTestSupport

/// Names and errors: rules 55, 56, 58 and 60.
@Suite struct NameRuleTests {
  @Test(.rule(55)) func `A path is bytes, and none with a NUL in it is used`() async throws {
    try await withLoopAndDirectory { loop, directory in
      for bytes in [[-1, 0], [0x61, -1, 0x62, 0]] as [[CChar]] {
        let name = try #require(
          bytes.withUnsafeBufferPointer { FilePath.Component(platformString: $0.baseAddress!) })
        let path = FilePath(directory).appending(name)
        try await loop.files.writeFile(path, "odd").value
        let entries = try await loop.files.scandir(directory).value
        #expect(entries.map(\.name) == [name])
        #expect(entries.first?.type == .regular)
        let listed = FilePath(directory).appending(entries[0].name)
        #expect(try await loop.files.readFile(listed).value == "odd")
        try await loop.files.unlink(listed).value
      }
      let cut = "\(directory)/a\0b"
      await expectError(.invalidArgument, of: try await loop.files.writeFile(cut, "x").value)
      await expectError(
        .invalidArgument, of: try await loop.files.open(cut, .writeOnly, options: [.create]).value)
      await expectError(.invalidArgument, of: try await loop.files.rename(directory, to: cut).value)
      #expect(try await loop.files.scandir(directory).value.isEmpty)
    }
  }

  @Test("A code that libuv does not know has a name, and naming it leaks nothing", .rule(56))
  func unknownCodes() async throws {
    let error = UVError(UVError.Code(rawValue: -4000), operation: "open")
    #expect(error.description.contains("-4000"))
    await expectFlatHeap(rounds: 10_000) { _ in
      #expect(!UVError.Code(rawValue: -4001).name.isEmpty)
      #expect(!UVError.Code(rawValue: -4001).message.isEmpty)
    }
  }

  @Test("A lookup has every address or one clear error, and gives its memory back", .rule(58))
  func lookups() async throws {
    try await withLoop { loop in
      try await expectFlatHeap(rounds: 400) { _ in
        let addresses = try await loop.dns.resolve("localhost", port: 80).value
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.port == 80 })
      }
      let unknown = loop.dns.resolve("nobody.invalid")
      await expectError(.unknownHost, .nameServerFailure, of: try await unknown.value)
      let withNUL = loop.dns.resolve("local\0host")
      await expectError(.invalidArgument, of: try await withNUL.value)
    }
  }

  @Test(.rule(60)) func `A directory's entries are sorted by their bytes, without . and ..`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let names = ["b", "a", "C", "z", "aa", ".hidden"]
      for name in names { try await loop.files.writeFile("\(directory)/\(name)", "").value }
      try await loop.files.mkdir("\(directory)/dir").value
      let entries = try await loop.files.scandir(directory).value
      #expect(
        entries.map(\.name.string)
          == (names + ["dir"]).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
      #expect(entries.first { $0.name.string == "dir" }?.type == .directory)
    }
  }
}
