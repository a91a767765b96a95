import Testing
import UV
import UVTestSupport

@Suite struct FileTests {
  @Test func droppingAFileClosesIt() async throws {
    try await withLoop { loop in
      for _ in 0..<20 { _ = try await loop.files.open("/etc/passwd").value }
    }
  }

  @Test(arguments: [2048, 4095, 4096]) func `bytes of a file that somebody keeps are not read over`(
    count: Int
  )
    async throws
  {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        var pages: [Bytes] = []
        for number in 0..<200 { pages.append(Bytes(repeating: UInt8(number), count: count)) }
        try await loop.files.writeFile("\(directory)/f", Bytes(pages.flatMap { [UInt8]($0) })).value
        let file = try await loop.files.open("\(directory)/f").value
        func read(_ number: Int) async throws -> Bytes {
          // A part keeps its page.
          Bytes(try await file.read(count, at: Int64(number * count)).value[1...])
        }
        var kept: [Bytes] = []
        for number in 0..<200 { kept.append(try await read(number)) }
        for number in stride(from: 0, to: 200, by: 3) { kept[number] = Bytes() }
        // These use the memory of those again.
        for number in stride(from: 0, to: 200, by: 3) { kept[number] = try await read(number) }
        #expect(kept == pages.map { Bytes($0[1...]) })
        try await file.close().value
      }
    }
  }

  @Test(arguments: [[4096], [4096, 3000]])
  func `a read that is cancelled shares no memory with those that follow`(
    counts: [Int]
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", Bytes(repeating: 1, count: 8192)).value
      try await loop.files.writeFile("\(directory)/b", Bytes(repeating: 2, count: 8192)).value
      let first = try await loop.files.open("\(directory)/a").value
      let second = try await loop.files.open("\(directory)/b").value
      let read = Log<Bytes>()
      try await withBusyPool(of: loop) {
        for _ in 0..<100 {
          let cancelled = first.read(counts, at: 0) { _ in }
          second.read(4096, at: 0) { if let bytes = $0.value { read.append(bytes) } }
          cancelled.cancel()
          second.read(counts, at: 0) { $0.value?.forEach(read.append) }
        }
      }
      try await loop.until { read.values.count == 100 * (1 + counts.count) }
      #expect(read.values.allSatisfy { $0.allSatisfy { $0 == 2 } })
      for file in [first, second] { try await file.close().value }
    }
  }

  @Test func `a page of a file is read into the memory of one that nobody holds`() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await loop.files.writeFile("\(directory)/f", Bytes(repeating: 1, count: 4096)).value
        let file = try await loop.files.open("\(directory)/f").value
        var places: Set<UInt> = []
        for _ in 0..<100 {
          places.insert(
            try await file.read(4096, at: 0).value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) })
        }
        #expect(places.count <= 2)
        try await file.close().value
      }
    }
  }

  @Test func renamesAndLinks() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await loop.files.writeFile("\(directory)/a", "1").value
        try await loop.files.rename("\(directory)/a", to: "\(directory)/b").value
        await expectError(.noSuchFile, of: try await loop.files.lstat("\(directory)/a").value)
        let status = try await loop.files.lstat("\(directory)/b").value
        #expect(status.type == .regular)
        #expect(status.size == 1)
        #expect(status.links == 1)
        #expect(status.permissions.contains(.ownerReadWrite))
        #expect(status.modificationTime > .seconds(1_600_000_000))
        await expectError(
          .invalidArgument, of: try await loop.files.rename("\(directory)/b", to: "\(directory)/\0c").value)
        await expectError(.directoryNotEmpty, of: try await loop.files.rmdir(directory).value)
      }
    }
  }

  @Test func anAtomicWriteKeepsTheModeAndLeavesNothingBeside() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let path = "\(directory)/f"
        let file = try await loop.files.open(
          path, .writeOnly, options: [.create], permissions: [.ownerReadWrite]
        ).value
        try await file.close().value
        let big = Bytes(repeating: 3, count: 300_000)
        try await loop.files.writeFile(path, big, atomically: true).value
        #expect(try await loop.files.readFile(path).value == big)
        #expect(try await loop.files.stat(path).value.permissions == [.ownerReadWrite])
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test(arguments: [1, 248, 249, 255]) func anAtomicWriteTakesEveryNameThatAFileMayHave(length: Int)
    async throws
  {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let path = "\(directory)/\(String(repeating: "n", count: length))"
        try await loop.files.writeFile(path, "old", atomically: true).value
        try await loop.files.writeFile(path, "new", atomically: true).value
        #expect(try await loop.files.readFile(path).value == "new")
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test func anAtomicWriteTakesEveryPathThatTheSystemTakes() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        // Slashes do not make another name, and a path has at most 4,095 bytes.
        let path = "\(directory)\(String(repeating: "/", count: 4094 - directory.utf8.count))f"
        try await loop.files.writeFile(path, "x", atomically: true).value
        #expect(try await loop.files.readFile(path).value == "x")
        for (path, code) in [
          (directory, UVError.Code.isDirectory), ("\(directory)/", .isDirectory), ("", .noSuchFile),
          ("\(directory)/f/g", .notDirectory), ("\(directory)/none/g", .noSuchFile),
          ("\(directory)/\(String(repeating: "n", count: 256))", .nameTooLong),
        ] {
          await expectError(code, of: try await loop.files.writeFile(path, "x", atomically: true).value)
        }
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test(.onTheMachine("/proc")) func filesWithoutASize() async throws {
    try await withLoop { loop in
      // The system says 0 for these, and then gives bytes.
      let text = try await loop.files.readFile("/proc/self/status").value
      #expect(text.description.contains("Pid:"))
      #expect(try await loop.files.readFile("/dev/null").value.isEmpty)
    }
  }

  @Test("Permissions of any size are taken")
  func extremePermissions() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let all = FilePermissions(rawValue: .max)
        try await loop.files.writeFile("\(directory)/f", "x", permissions: all).value
        try await loop.files.chmod("\(directory)/f", all).value
        try await loop.files.unlink("\(directory)/f").value
      }
    }
  }
}
