import Testing
import UV
import UVTestSupport

@Suite struct FileTests {
  @Test func positionsAndTheCursor() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let file = try await loop.files.open("\(directory)/f", .readWrite, options: [.create]).value
        // Side by side, in whatever order the pool takes them.
        let writes = (0..<64).map { index in
          loop.spawn { () async throws(UVError) in
            try await file.write(Bytes(repeating: UInt8(index), count: 100), at: Int64(index * 100)).value
          }
        }
        for write in writes { try await write.value }
        #expect(try await file.stat().value.size == 6400)
        for index in 0..<64 {
          #expect(
            try await file.read(100, at: Int64(index * 100)).value
              == Bytes(repeating: UInt8(index), count: 100))
        }
        // A read at an offset has not moved the cursor; one without does.
        #expect(try await file.read(150).value.first == 0)
        #expect(try await file.read(1).value == [1])
        #expect(try await file.read(100, at: 6400).value.isEmpty)
        await expectFailure(.invalidArgument) { () async throws(UVError) in try await file.read(0).value }
        await expectFailure(.invalidArgument) { () async throws(UVError) in
          try await file.read(1, at: -1).value
        }
        try await file.close().value
        try await file.close().value
      }
    }
  }

  @Test func closingWaitsForWhatIsUnderWay() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let file = try await loop.files.open("\(directory)/f", .readWrite, options: [.create]).value
        let log = Log<String>()
        for index in 0..<10 {
          file.write(Bytes(repeating: 1, count: 1000), at: Int64(index) * 1000) { _ in log.append("write") }
        }
        file.close { _ in log.append("closed") }
        file.write("late", at: 0) { log.append("late \($0.error?.name ?? "ok")") }
        try await file.close().value
        #expect(log.values.filter { $0 == "write" }.count == 10)
        #expect(log.values.last == "closed")
        #expect(log.values.contains("late EBADF"))
      }
    }
  }

  @Test func droppingAFileClosesIt() async throws {
    try await withLoop { loop in
      for _ in 0..<20 { _ = try await loop.files.open("/etc/passwd").value }
    }
  }

  @Test func namesThatAreNotUTF8() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let name: [CChar] = [0x61, -1, 0x62, 0]
        let component = try #require(
          name.withUnsafeBufferPointer { FilePath.Component(platformString: $0.baseAddress!) })
        let path = FilePath(directory).appending(component)
        try await loop.files.writeFile(path, "odd").value
        let entries = try await loop.files.scandir(directory).value
        #expect(entries.map(\.name) == [component])
        #expect(entries.first?.type == .regular)
        #expect(try await loop.files.readFile(FilePath(directory).appending(entries[0].name)).value == "odd")
      }
    }
  }

  @Test func scandirIsSorted() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
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

  @Test func renamesAndLinks() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await loop.files.writeFile("\(directory)/a", "1").value
        try await loop.files.rename("\(directory)/a", to: "\(directory)/b").value
        await expectFailure(.noSuchFile) { () async throws(UVError) in
          try await loop.files.lstat("\(directory)/a").value
        }
        let status = try await loop.files.lstat("\(directory)/b").value
        #expect(status.type == .regular)
        #expect(status.size == 1)
        #expect(status.links == 1)
        #expect(status.permissions.contains(.ownerReadWrite))
        #expect(status.modificationTime > .seconds(1_600_000_000))
        await expectFailure(.invalidArgument) { () async throws(UVError) in
          try await loop.files.rename("\(directory)/b", to: "\(directory)/\0c").value
        }
        await expectFailure(.directoryNotEmpty) { () async throws(UVError) in
          try await loop.files.rmdir(directory).value
        }
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

  @Test func filesWithoutASize() async throws {
    try await withLoop { loop in
      // The system says 0 for these, and then gives bytes.
      let text = try await loop.files.readFile("/proc/self/status").value
      #expect(text.description.contains("Pid:"))
      #expect(try await loop.files.readFile("/dev/null").value.isEmpty)
    }
  }

  @Test func cancellingAtAnyMomentLosesNoDescriptor() async throws {
    try await withLoop { loop in
      for round in 0..<200 {
        let log = Log<Int>()
        let pending = loop.files.open("/etc/passwd") { _ in log.append(1) }
        for _ in 0..<(round % 4) { try await loop.sleep(for: .zero).value }
        pending.cancel()
        while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      }
    }
  }
}
