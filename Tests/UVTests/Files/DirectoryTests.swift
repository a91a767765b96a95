import Testing
import UV
import UVTestSupport

@Suite struct DirectoryTests {
  /// A directory with so many files in it.
  func withFiles(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, String, Set<String>) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop(sourceLocation: sourceLocation) { loop in
        var names: Set<String> = []
        for number in 0..<count {
          try await loop.files.writeFile("\(directory)/file-\(number)", "").value
          names.insert("file-\(number)")
        }
        try await body(loop, directory, names)
      }
    }
  }

  @Test func entriesComeInBatches() async throws {
    try await withFiles(25) { loop, path, names in
      let directory = try await loop.files.opendir(path, batchSize: 10).value
      #expect(directory.path.string == path)
      var seen: [String] = []
      for try await entries in directory {
        #expect(1...10 ~= entries.count)
        #expect(entries.allSatisfy { $0.type == .regular })
        seen += entries.map(\.name.string)
      }
      #expect(seen.count == 25)
      #expect(Set(seen) == names)
      // It has closed itself, and stays at its end.
      #expect(try await directory.next().value == nil)
      try await directory.close().value
    }
  }

  @Test func whoeverStopsEarlyLosesNoDescriptor() async throws {
    try await withFiles(25) { loop, path, _ in
      for _ in 0..<20 {
        let directory = try await loop.files.opendir(path, batchSize: 1).value
        for try await _ in directory { break }
      }
      // Dropped with a read under way.
      for _ in 0..<20 {
        let directory = try await loop.files.opendir(path, batchSize: 1).value
        directory.next { _ in }
      }
      // Closed with a read under way.
      for _ in 0..<20 {
        let directory = try await loop.files.opendir(path, batchSize: 1).value
        let log = Log<UVError.Code?>()
        directory.next { log.append($0.error?.code) }
        directory.next { log.append($0.error?.code) }
        try await directory.close().value
        #expect(log.values.first == .cancelled)
        #expect(log.values.count == 2)
      }
      // Opened for nobody.
      for _ in 0..<20 { loop.files.opendir(path) { _ in }.cancel() }
    }
  }

  @Test func aReaderThatGoesLosesNothing() async throws {
    try await withFiles(6) { loop, path, names in
      let directory = try await loop.files.opendir(path, batchSize: 2).value
      let log = Log<UVError.Code?>()
      directory.next { log.append($0.error?.code) }.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.cancelled])
      var seen: [String] = []
      for try await entries in directory { seen += entries.map(\.name.string) }
      #expect(seen.count == 6)
      #expect(Set(seen) == names)
    }
  }

  @Test func aLoopThatEndsClosesItsDirectories() async throws {
    try await withFiles(3) { _, path, _ in
      // On a loop of its own, which ends with a read under way; the descriptors are counted outside.
      await Task.detached {
        let log = Log<UVError.Code?>()
        EventLoop.runCallbacks { loop in
          loop.files.opendir(path, batchSize: 1) { result in
            result.value?.next { log.append($0.error?.code) }
            loop.stop()
          }
        }
        #expect(log.values == [.cancelled])
      }.value
    }
  }

  @Test("The names of a directory's entries are bytes", .rule(55))
  func aNameThatIsNotText() async throws {
    try await withFiles(0) { loop, path, _ in
      let name = try #require(
        FilePath.Component(platformString: [CInterop.PlatformChar(bitPattern: 0xff), 0]))
      let file = FilePath(path).appending(name)
      try await loop.files.writeFile(file, "x").value
      let directory = try await loop.files.opendir(path).value
      let entries = try await directory.next().value
      #expect(entries?.map(\.name) == [name])
      #expect(try await loop.files.readFile(FilePath(path).appending(entries![0].name)).value == "x")
    }
  }

  @Test func whatCannotBeOpened() async throws {
    try await withLoop { loop in
      await expectError(.noSuchFile, of: try await loop.files.opendir("/nowhere").value)
      await expectError(.notDirectory, of: try await loop.files.opendir("/etc/passwd").value)
      await expectError(.invalidArgument, of: try await loop.files.opendir("/", batchSize: 0).value)
      await expectError(.invalidArgument, of: try await loop.files.opendir("/\0").value)
      let directory = try await loop.files.opendir("/").value
      try await directory.close().value
      try await directory.close().value
      for _ in 0..<2 {
        await expectError(.cancelled, of: try await directory.next().value)
      }
    }
  }
}
