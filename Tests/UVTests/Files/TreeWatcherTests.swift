import Foundation
import Testing
import UVTestSupport

@testable import UV

/// Watching a directory and all below it.
@Suite struct TreeWatcherTests {
  @Test("What is there already isn't reported, and what comes, changes and goes at any depth is")
  func changesAtAnyDepth() async throws {
    try await withTree { root in
      try FileManager.default.createDirectory(atPath: "\(root)/a/b/c", withIntermediateDirectories: true)
    } _: { loop, watcher, model in
      #expect(try watcher.path().string == model.root)
      try await follow(watcher, model) { model.completions == 1 }
      #expect(model.seen.isEmpty)
      #expect(model.paths == ["a", "a/b", "a/b/c"])
      try await loop.files.writeFile("\(model.root)/a/b/c/file", "1").value
      try await follow(watcher, model) { model.seen["a/b/c/file"] == [.rename, .change] }
      try await loop.files.unlink("\(model.root)/a/b/c/file").value
      try await follow(watcher, model) { !model.paths.contains("a/b/c/file") }
      try await loop.files.chmod("\(model.root)/a/b", [.ownerReadWriteExecute]).value
      try await follow(watcher, model) { model.seen["a/b"] == .change }
      try await loop.files.chmod(model.root, [.ownerReadWriteExecute]).value
      try await follow(watcher, model) { model.seen["."] == .change }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }

  @Test("A directory that comes is reported with all that is in it, also if it came with that")
  func whatComes() async throws {
    try await withTree { loop, watcher, model in
      let beside = "\(model.root)/../outside"
      try await follow(watcher, model) { model.completions == 1 }
      try FileManager.default.createDirectory(
        atPath: "\(model.root)/a/b/c", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: "\(beside)/d/e", withIntermediateDirectories: true)
      try await loop.files.writeFile("\(beside)/d/e/file", "1").value
      try await loop.files.rename("\(beside)/d", to: "\(model.root)/d").value
      let names = ["a", "a/b", "a/b/c", "d", "d/e", "d/e/file"]
      try await follow(watcher, model) { names.allSatisfy { model.seen[$0]?.contains(.rename) == true } }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }

  @Test("A directory that is renamed in the tree takes its watches along; one that leaves is watched no more")
  func whatMoves() async throws {
    try await withTree { root in
      try FileManager.default.createDirectory(atPath: "\(root)/a/b/c", withIntermediateDirectories: true)
    } _: { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      try await loop.files.rename("\(model.root)/a", to: "\(model.root)/z").value
      try await follow(watcher, model) { model.seen["a"] == .rename && model.seen["z"] == .rename }
      #expect(model.paths == ["z", "z/b", "z/b/c"])
      #expect(model.seen["z/b"] == nil)
      try await expectEachFolderIsWatched(watcher, model)
      try await loop.files.rename("\(model.root)/z/b", to: "\(model.root)/../outside/b").value
      try await follow(watcher, model) { model.paths == ["z"] }
      try await loop.files.mkdir("\(model.root)/../outside/b/unseen").value
      model.forgetWhatWasSeen()
      try await expectEachFolderIsWatched(watcher, model)
      #expect(model.seen.keys.allSatisfy { !$0.contains("unseen") })
    }
  }

  @Test("Two directories that change places are watched under their new names")
  func anExchange() async throws {
    #if os(Linux)
    try await withTree { root in
      for name in ["a", "a/x", "b", "b/y"] { mkdir("\(root)/\(name)", 0o755) }
    } _: { _, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      for _ in 0..<3 {
        exchange("\(model.root)/a", "\(model.root)/b")
        try await expectEachFolderIsWatched(watcher, model)
      }
    }
    #endif
  }

  @Test("A directory is watched that takes another's place right after that has come")
  func anUntoldArrival() async throws {
    #if os(Linux)
    try await withTree { root in
      for name in ["a", "a/x", "../outside/b", "../outside/b/y"] { mkdir("\(root)/\(name)", 0o755) }
    } _: { _, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      // The system reports one arrival: the two are equal, but for the cookie.
      rename("\(model.root)/a", "\(model.root)/c")
      exchange("\(model.root)/../outside/b", "\(model.root)/c")
      try await expectEachFolderIsWatched(watcher, model)
      #expect(model.paths == ["c", "c/y"])
    }
    #endif
  }

  @Test("Symbolic links aren't followed, and their coming and going is reported")
  func links() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let beside = "\(model.root)/../outside"
      symlink(beside, "\(model.root)/link")
      try await follow(watcher, model) { model.paths == ["link"] }
      mkdir("\(beside)/unseen", 0o755)
      try await follow(watcher, model)
      #expect(model.seen["link/unseen"] == nil)
      unlink("\(model.root)/link")
      try await follow(watcher, model) { model.paths.isEmpty }
    }
  }

  @Test(
    "After many operations, while they are watched and scanned, no report is missing",
    arguments: 1...(ProcessInfo.processInfo.environment["UV_STRESS"] == "full" ? 200 : 8))
  func operations(seed: Int) async throws {
    try await withTree { root in
      var before = TreeOperations(inside: root, outside: "\(root)/../outside", seed: UInt64(seed) << 32)
      before.perform(300)
    } _: { loop, watcher, model in
      // The first ones happen while the tree is scanned.
      let root = model.root
      for round in 0..<6 {
        let operating = loop.spawn { () async throws(UVError) in
          try await loop.work {
            var operations = TreeOperations(
              inside: root, outside: "\(root)/../outside", seed: UInt64(seed * 10 + round))
            operations.perform(500)
          }.value
        }
        if round % 2 == 1 { try await operating.value }
        try await follow(watcher, model) { model.completions > 0 }
        try await operating.value
        try await expectEachFolderIsWatched(watcher, model)
      }
    }
  }

  /// How many events the system keeps.
  static let queueLength =
    (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
    .flatMap { Int($0.dropLast()) } ?? 16384

  @Test("If the system drops events, that is reported, and then what differs")
  func anOverflow() async throws {
    #if os(Linux)
    try await withTree { root in
      for name in ["a", "a/gone", "b", "b/moved", "c", "d"] { mkdir("\(root)/\(name)", 0o755) }
      for name in ["a/old", "d/same"] { try Data().write(to: URL(fileURLWithPath: "\(root)/\(name)")) }
    } _: { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      // More happens than the system keeps. It happens on the loop's thread, so that the watcher reads nothing meanwhile: on a busy
      // machine it would keep pace with another thread.
      let root = model.root
      for number in 0..<32 { mkdir("\(root)/c/\(number)", 0o755) }
      // Two events each, which the system can't merge. On a busy machine a directory would take 3 ms to remove.
      for number in 0..<Self.queueLength {
        rename("\(root)/c/\(number % 2 == 0 ? "0" : "x")", "\(root)/c/\(number % 2 == 0 ? "x" : "0")")
      }
      rmdir("\(root)/a/gone")
      unlink("\(root)/a/old")
      mkdir("\(root)/a/new", 0o755)
      mkdir("\(root)/a/new/inner", 0o755)
      rename("\(root)/b/moved", "\(root)/moved")
      try await follow(watcher, model) { model.overflows >= 1 && model.completions > 1 }
      #expect(model.isRight)
      try await expectEachFolderIsWatched(watcher, model)
    }
    #endif
  }

  @Test("A reader that asks late gets the rest from the system, and the watcher's memory doesn't grow")
  func aReaderThatIsLate() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let root = model.root
      try await loop.work { for number in 0..<2000 { mkdir("\(root)/\(number)", 0o755) } }.value
      try await loop.sleep(for: .milliseconds(1)).value
      try await follow(watcher, model) { model.paths.count == 2000 }
      #expect(model.overflows == 0)
    }
  }

  #if os(Linux)
  @Test(
    "A watcher that is full goes on when it is asked, whatever it did when it became full",
    arguments: [false, true])
  func fullWatcher(looks: Bool) async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let (root, other) = (model.root, "\(model.root)/../outside/made")
      for round in 1...2 {
        // A folder that comes with its contents is looked at. Those that are made one by one are events.
        let place = looks ? other : "\(root)/\(round)"
        try await loop.work {
          mkdir(place, 0o755)
          for number in 0..<1500 { mkdir("\(place)/\(number)", 0o755) }
          if looks { rename(place, "\(root)/\(round)") }
        }.value
        try await loop.until { watcher.isFull }
        try await follow(watcher, model) { model.paths.count == round * 1501 }
      }
      #expect(model.overflows == 0)
    }
  }
  #endif

  /// The ways in which a path ceases to name what is watched.
  enum Loss: CaseIterable { case removed, renamed, renamedAndMadeAgain }

  @Test("A watcher whose directory is removed or moved says so, and ends", arguments: Loss.allCases)
  func theRootGoes(loss: Loss) async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      if loss == .removed { rmdir(model.root) } else { rename(model.root, "\(model.root)-2") }
      if loss == .renamedAndMadeAgain { mkdir(model.root, 0o755) }
      let gone = UVError(.noSuchFile, operation: "fs_event", subject: model.root)
      do throws(UVError) {
        for try await event in watcher { model.take(event) }
        Issue.record("it ended without an error")
      } catch { #expect(error == gone) }
      #expect(model.seen["."] == .rename)
      await expectFailure(.noSuchFile) { () async throws(UVError) in try await watcher.next().value }
    }
  }

  @Test("What is watched must exist, and a file is watched as without the parameter")
  func theRootAtFirst() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        for path in ["/nowhere", "/\0"] {
          await expectFailure(path == "/\0" ? .invalidArgument : .noSuchFile) { () async throws(UVError) in
            try loop.files.watch(path, recursive: true)
          }
        }
        try await loop.files.writeFile("\(directory)/file", "1").value
        let watcher = try loop.files.watch("\(directory)/file", recursive: true)
        #expect(try await watcher.next().value?.kinds == .complete)
        try await loop.files.writeFile("\(directory)/file", "2").value
        #expect(try await watcher.next().value?.kinds.contains(.change) == true)
        watcher.close()
      }
    }
  }

  @Test(
    "A watcher that is closed, released or whose loop ends amid the first scan leaves nothing",
    arguments: 0..<3)
  func anEarlyEnd(way: Int) async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<2000 { mkdir("\(directory)/\(number)", 0o755) }
      try await withLoop { loop in
        var watcher: FileWatcher? = try loop.files.watch(directory, recursive: true)
        if way == 0 { try await loop.sleep(for: .milliseconds(1)).value }
        if way < 2 { watcher?.close() }
        watcher = nil
      }
      try await withThread {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        try loop.runCallbacks { loop in
          let watcher = try loop.files.watch(directory, recursive: true)
          watcher.start { _ in }
          loop.sleep(for: .milliseconds(2)) { _ in loop.stop() }
        }
      }
    }
  }

  @Test("A watcher may be released on another thread amid the first scan")
  func aReleaseElsewhere() async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<2000 { mkdir("\(directory)/\(number)", 0o755) }
      try await withLoop { loop in
        let holder = Holder()
        holder.watcher = try loop.files.watch(directory, recursive: true)
        try await loop.work { holder.watcher = nil }.value
      }
    }
  }

  /// Sound: the loop waits until the other thread has let go.
  private final class Holder: @unchecked Sendable { var watcher: FileWatcher? }
}
