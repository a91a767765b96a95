import Foundation
import Testing
import UV
import UVTestSupport

/// Watching a directory and all below it, together with the library's other parts.
@Suite struct TreeCombinationTests {
  @Test("Watchers of one tree, of it by a symbolic link, and of a part of it each report all")
  func manyWatchersOfOneTree() async throws {
    try await withTree { root in
      try FileManager.default.createDirectory(atPath: "\(root)/a/b/c", withIntermediateDirectories: true)
      symlink(root, "\(root)/../link")
    } _: { loop, watcher, model in
      let root = model.root
      let paths = [root, "\(root)/../link", "\(root)/a", "\(root)/../link/a/b"]
      var watchers: [FileWatcher] = []
      for path in paths { watchers.append(try loop.files.watch(path, recursive: true)) }
      let models = paths.map(TreeModel.init)
      for (watcher, model) in zip(watchers, models) {
        #expect(try watcher.path().string == model.root)
        try await follow(watcher, model) { model.completions == 1 }
      }
      try await loop.work {
        for number in 0..<100 { mkdir("\(root)/a/b/c/\(number)", 0o755) }
        rename("\(root)/a/b/c", "\(root)/a/b/d")
        close(open("\(root)/a/b/d/7/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      }.value
      for (watcher, model) in zip([watcher] + watchers, [model] + models) {
        try await follow(watcher, model) { model.completions == 1 && model.isRight }
        #expect(model.paths.contains { $0.hasSuffix("d/7/file") })
      }
      // Each has watches of its own.
      watchers[0].close()
      try await expectEachFolderIsWatched(watchers[1], models[1])
      for watcher in watchers { watcher.close() }
    }
  }

  @Test("A handler may stop or close its watcher at any event", arguments: [false, true], [1, 2, 40])
  func inTheHandler(closes: Bool, last: Int) async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<300 { mkdir("\(directory)/\(number)", 0o755) }
      try await withLoop { loop in
        let watcher = try loop.files.watch(directory, recursive: true)
        var count = 0
        let handling = Request<Void>(loop) { done in
          watcher.start { result in
            guard case .success(_?) = result else { return }
            count += 1
            if count == 1 { for number in 300..<400 { mkdir("\(directory)/\(number)", 0o755) } }
            if count != last { return }
            if closes { watcher.close() } else { watcher.stop() }
            done(.success(()))
          }
          return PendingRequest()
        }
        try await handling.value
        rmdir("\(directory)/7")
        while !closes, try await watcher.next().value?.name != "7" {}
        _ = try await loop.files.stat(directory).value
        #expect(count == last)
        watcher.close()
      }
    }
  }

  @Test("A loop that another one polls watches, too, and ends when nobody asks")
  func inAnotherLoop() async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<500 { mkdir("\(directory)/\(number)", 0o755) }
      let log = Log<String>()
      try await withThread {
        let loop = try EventLoop()
        loop.spawn {
          do {
            let watcher = try loop.files.watch(directory, recursive: true)
            while try await watcher.next().value?.kinds != .complete {}
            mkdir("\(directory)/499/inner", 0o755)
            log.append(try await watcher.next().value?.name?.string ?? "")
          } catch { Issue.record(error) }
        }
        try EmbeddingTests.drive(loop)
        loop.shutdown()
      }
      #expect(log.values == ["499/inner"])
    }
  }
}
