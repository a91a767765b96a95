import Testing
import UVTestSupport

@testable import UV

/// What a watcher of files keeps while nobody asks, up to its limit and beyond.
@Suite(.onTheMachine("very many names")) struct KeptEventTests {
  /// They are reported here as libuv does, since the system would take seconds for so many.
  @Test(arguments: [1, 1023, 1024, 1025, 1026, 2048, 2049])
  func `Up to 1,024 names are kept each by itself, and one event without a name for more`(count: Int)
    async throws
  {
    try await withLoopAndDirectory { loop, path in
      let watcher = try loop.files.watch(path)
      for number in 0..<count {
        watcher.report(FileEvent(kinds: .rename, name: FilePath("\(number)")), limit: FileWatcher.limit)
        // One that is kept already needs no room.
        if number == 0 { watcher.report(FileEvent(kinds: .change, name: "0"), limit: FileWatcher.limit) }
      }
      // One too many makes one of all, and the next ones are kept again.
      let rounds = (count - 1) / 1024
      let kept = count - 1024 * rounds
      #expect(watcher.unasked.count == kept)
      var names: [String?] = []
      for number in 0..<kept {
        let event = try await watcher.next().value
        names.append(event?.name?.string)
        #expect(number > 0 || event?.kinds == [.rename, .change])
      }
      let first: [String?] = rounds == 0 ? [] : [nil]
      #expect(
        names == first + (count - kept + first.count..<count).map { "\($0)" } && watcher.unasked.isEmpty)
      watcher.close()
    }
  }

  @Test(arguments: [false, true])
  func `What happens to a name after its event was taken is an event of its own, in the order of happening`(
    isRecursive: Bool
  ) async throws {
    try await withLoopAndDirectory { loop, path in
      let watcher = try loop.files.watch(path, recursive: isRecursive)
      func quiet(_ count: Int) async throws {
        try await loop.until { watcher.unasked.count == count }
        try await loop.sleep(for: .milliseconds(10)).value
      }
      // With `complete` in front, which has no name.
      if isRecursive { try await quiet(1) }
      for name in ["a", "b", "c"] {
        try await loop.files.symlink(to: "/etc/passwd", at: "\(path)/\(name)").value
      }
      try await quiet(isRecursive ? 4 : 3)
      if isRecursive { #expect(try await watcher.next().value?.kinds == .complete) }
      func change(_ name: String, _ count: Int) async throws {
        try await loop.files.lutime("\(path)/\(name)", accessTime: .zero, modificationTime: .seconds(count))
          .value
        try await quiet(count)
      }
      for changed in ["a", "c"] { try await change(changed, 3) }
      for (name, kinds) in [("a", [.rename, .change]), ("b", .rename)] as [(String, FileEvent.Kinds)] {
        let event = try #require(try await watcher.next().value)
        #expect(event.name == FilePath(name) && event.kinds == kinds)
      }
      try await change("a", 2)
      try await change("b", 3)
      try await change("a", 3)
      for (name, kinds) in [("c", [.rename, .change]), ("a", .change), ("b", .change)]
        as [(String, FileEvent.Kinds)]
      {
        let event = try #require(try await watcher.next().value)
        #expect(event.name == FilePath(name) && event.kinds == kinds)
      }
      watcher.close()
    }
  }
}
