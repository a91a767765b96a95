import Testing
import UV
import UVTestSupport

/// Watching files, and what is kept while nobody asks.
@Suite struct FileWatcherTests {
  func withDirectory(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop(sourceLocation: sourceLocation) { loop in try await body(loop, directory) }
    }
  }

  @Test func aFileThatComesAndGoes() async throws {
    try await withDirectory { loop, path in
      let watcher = try loop.files.watch(path)
      #expect(try watcher.path().string == path)
      let waiting = loop.spawn { () async throws(UVError) in try await watcher.next().value }
      try await loop.files.writeFile("\(path)/a", "1").value
      let first = try #require(try await waiting.value)
      #expect(first.name == "a")
      #expect(first.kinds == .rename)
      // Kept while nobody asks, as one event for the name.
      try await loop.files.unlink("\(path)/a").value
      var kinds: FileEvent.Kinds = []
      while kinds != [.rename, .change] {
        let event = try #require(try await watcher.next().value)
        #expect(event.name == "a")
        kinds.formUnion(event.kinds)
      }
      watcher.close()
    }
  }

  @Test func whatNobodyAsksForIsKeptOnceForEachName() async throws {
    try await withDirectory { loop, path in
      let watcher = try loop.files.watch(path)
      for round in 0..<3 {
        for name in ["a", "b", "c"] {
          try await loop.files.writeFile("\(path)/\(name)", Bytes("\(round)")).value
        }
      }
      // A last one, after which all of them are there.
      try await loop.files.mkdir("\(path)/end").value
      var names: [String] = []
      for try await event in watcher {
        names.append(event.name?.string ?? "?")
        if names.last == "end" { break }
      }
      #expect(Set(names) == ["a", "b", "c", "end"])
      #expect(names.count <= 12)
      watcher.close()
    }
  }

  @Test("A directory is watched, and not what is in its directories", .rule(59))
  func onlyWhatIsRightInTheDirectory() async throws {
    try await withDirectory { loop, path in
      try await loop.files.mkdir("\(path)/inner").value
      let watcher = try loop.files.watch(path)
      try await loop.files.writeFile("\(path)/inner/deep", "1").value
      try await loop.files.mkdir("\(path)/end").value
      let event = try await watcher.next().value
      #expect(event?.name == "end")
      watcher.close()
    }
  }

  @Test("What is watched must exist", .rule(59))
  func thePathMustExist() async throws {
    try await withLoop { loop in
      await expectError(.noSuchFile, of: try loop.files.watch("/nowhere"))
      await expectError(.invalidArgument, of: try loop.files.watch("/\0"))
      #expect(loop.statistics.handles <= 2)
    }
  }

  /// The ways in which a path ceases to name what is watched.
  enum Loss: CaseIterable {
    case removed, renamed, removedAndMadeAgain
  }

  @Test(
    "A watcher whose directory or file is no longer at its path says so, and ends", arguments: Loss.allCases)
  func whatIsWatchedGoes(loss: Loss) async throws {
    try await withDirectory { loop, root in
      for isFile in [false, true] {
        let path = "\(root)/watched"
        func make() async throws {
          if isFile {
            try await loop.files.writeFile(path, "1").value
          } else {
            try await loop.files.mkdir(path).value
          }
        }
        try await make()
        let watchers = [try loop.files.watch(path), try loop.files.watch(path)]
        // One of them is asked before, the other one afterwards.
        let asking = loop.spawn { () async -> UVError? in
          do throws(UVError) { for try await _ in watchers[0] {} } catch { return error }
          return nil
        }
        try await loop.sleep(for: .milliseconds(1)).value
        switch loss {
        case .renamed: try await loop.files.rename(path, to: "\(path)-2").value
        case _ where isFile: try await loop.files.unlink(path).value
        default: try await loop.files.rmdir(path).value
        }
        if loss == .removedAndMadeAgain { try await make() }
        let gone = UVError(.noSuchFile, operation: "fs_event", subject: path)
        #expect(await asking.value == gone)
        var kinds: FileEvent.Kinds = []
        do throws(UVError) {
          for try await event in watchers[1] { kinds.formUnion(event.kinds) }
          Issue.record("it ended without an error")
        } catch { #expect(error == gone) }
        #expect(kinds.contains(.rename))
        await expectError(.noSuchFile, of: try await watchers[1].next().value)
        for watcher in watchers { watcher.close() }
        if isFile { break }
        _ = try? await loop.files.rmdir(path).value
        _ = try? await loop.files.rmdir("\(path)-2").value
      }
    }
  }

  @Test("A file in a watched directory may have the directory's name, and come and go")
  func aFileOfTheDirectorysName() async throws {
    try await withDirectory { loop, root in
      let path = "\(root)/same"
      try await loop.files.mkdir(path).value
      let watcher = try loop.files.watch(path)
      try await loop.files.writeFile("\(path)/same", "1").value
      try await loop.files.unlink("\(path)/same").value
      try await loop.files.mkdir("\(path)/end").value
      while let event = try await watcher.next().value, event.name != "end" { #expect(event.name == "same") }
      #expect(!watcher.isClosing)
      watcher.close()
    }
  }

  @Test func aWatcherThatNobodyAsksKeepsNoLoopRunning() async throws {
    try await withDirectory { loop, path in
      let watchers = [try loop.files.watch(path), try loop.files.watch(path)]
      #expect(watchers.allSatisfy { !$0.keepsLoopRunning })
      watchers[0].close()
      #expect(try await watchers[0].next().value == nil)
      await expectError(.badDescriptor, of: try watchers[0].path())
    }
  }

  // MARK: By looking again and again

  @Test func aStatusThatChanges() async throws {
    try await withDirectory { loop, path in
      let file = "\(path)/a"
      let watcher = try loop.files.watchStatus(file, every: .milliseconds(1))
      #expect(try watcher.path().string == file)
      // There is no file yet, and that is reported.
      let missing = try #require(try await watcher.next().value)
      #expect(missing.previous == nil)
      #expect(missing.current.error?.code == .noSuchFile)
      try await loop.files.writeFile(file, "12345").value
      var size: Int64 = 0
      while size != 5 {
        let change = try #require(try await watcher.next().value)
        size = change.current.value?.size ?? 0
      }
      try await loop.files.writeFile(file, "1234567").value
      while size != 7 {
        let change = try #require(try await watcher.next().value)
        #expect(change.previous != nil)
        size = change.current.value?.size ?? 0
      }
      watcher.close()
    }
  }

  @Test func aStatusThatNobodyAsksForIsKept() async throws {
    try await withDirectory { loop, path in
      let file = "\(path)/a"
      try await loop.files.writeFile(file, "1").value
      let watcher = try loop.files.watchStatus(file, every: .milliseconds(1))
      #expect(!watcher.keepsLoopRunning)
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      try await loop.files.writeFile(file, "22").value
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      var size: Int64 = 0
      while size != 2 { size = try await watcher.next().value?.current.value?.size ?? 0 }
      watcher.close()
    }
  }

  @Test func anIntervalOutOfRange() async throws {
    try await withLoop { loop in
      for interval in [Duration.zero, .seconds(-1), .seconds(1 << 40)] {
        await expectError(.invalidArgument, of: try loop.files.watchStatus("/", every: interval))
      }
    }
  }
}
