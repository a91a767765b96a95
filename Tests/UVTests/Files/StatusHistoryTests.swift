import Testing
import UV
import UVTestSupport

/// What a watcher of a file's status says of a history of the file, of which some was asked for and some wasn't.
@Suite struct StatusHistoryTests {
  /// Sizes of the file; nil for no file. Each step is looked at.
  static let histories: [[Int64?]] = [
    [nil, 1], [nil, 1, 2], [nil, 1, 2, 3], [1, 2], [1, 2, 3], [1, nil], [1, nil, 2], [1, nil, 2, 3],
    [nil, 1, nil],
    [nil, 1, nil, 2], [1, 2, nil],
  ]

  /// Puts the file into a state, and waits until the watcher has seen it: a second one is asked.
  private nonisolated(nonsending) func set(
    _ size: Int64?, _ path: String, _ loop: EventLoop, _ other: FileStatusWatcher
  ) async throws {
    if let size {
      try await loop.files.writeFile(path, Bytes(repeating: 1, count: Int(size)), atomically: true).value
    } else {
      try await loop.files.unlink(path).value
    }
    try await see(size, other)
    // The one that is tested looks as often, and may be the next to look.
    try await loop.sleep(for: .milliseconds(20)).value
  }

  private nonisolated(nonsending) func see(_ size: Int64?, _ watcher: FileStatusWatcher) async throws {
    while try await watcher.next().value?.current.value?.size != size {}
  }

  @Test(arguments: histories)
  func `Changes that nobody asked for are one, from the last status that was delivered to the present one`(
    history: [Int64?]
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      if let first = history[0] {
        try await loop.files.writeFile(path, Bytes(repeating: 1, count: Int(first))).value
      }
      let (watcher, other) = (
        try loop.files.watchStatus(path, every: .milliseconds(2)),
        try loop.files.watchStatus(path, every: .milliseconds(2))
      )
      // That there is none is the first report; a file that is there makes none.
      if history[0] == nil { try await see(nil, other) }
      try await loop.sleep(for: .milliseconds(20)).value
      for size in history.dropFirst() { try await set(size, path, loop, other) }
      let change = try #require(try await watcher.next().value)
      #expect(change.previous?.size == history[0], "\(history)")
      #expect(change.current.value?.size == history.last!, "\(history)")
      #expect(change.current.error?.code == (history.last! == nil ? .noSuchFile : nil))
      // The next one begins where this one has ended.
      try await set(9, path, loop, other)
      let next = try #require(try await watcher.next().value)
      #expect(next.previous?.size == history.last! || history.last! == nil, "\(history)")
      #expect(next.current.value?.size == 9)
      for _ in 0..<2 { try await set(10, path, loop, other); try await set(nil, path, loop, other) }
      let last = try #require(try await watcher.next().value)
      #expect(last.previous?.size == 9 && last.current.error?.code == .noSuchFile)
      watcher.close()
      other.close()
    }
  }

  @Test func `Who asks or handles gets each change as it comes, from one status to the next`() async throws {
    for isHandler in [true, false] {
      try await withLoopAndDirectory { loop, directory in
        let path = "\(directory)/f"
        let watcher = try loop.files.watchStatus(path, every: .milliseconds(1))
        let log = Log<FileStatusChange>()
        func ask() { watcher.next { if case .success(let change?) = $0 { log.append(change); ask() } } }
        if isHandler {
          watcher.start { if case .success(let change?) = $0 { log.append(change) } }
        } else {
          ask()
        }
        try await loop.until { log.values.last?.current.error?.code == .noSuchFile }
        for size in 1...4 {
          try await loop.files.writeFile(path, Bytes(repeating: 1, count: size), atomically: true).value
          try await loop.until { log.values.last?.current.value?.size == Int64(size) }
        }
        let changes = log.values
        #expect(changes[0].previous == nil)
        for (one, next) in zip(changes, changes.dropFirst()) {
          #expect(
            next.previous?.size == one.current.value?.size && next.previous?.inode == one.current.value?.inode
          )
        }
        #expect(watcher.keepsLoopRunning)
        watcher.close()
      }
    }
  }
}
