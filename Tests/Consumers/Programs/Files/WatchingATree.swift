// A directory is watched with all below it: what comes, moves and goes at any depth, and the directory's own end.
import UV

enum WatchingATree: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let files = loop.files
      let root = try await files.mkdtemp("/tmp/consumers-XXXXXX").value
      try await files.mkdir(root.appending("a")).value
      let watcher = try files.watch(root, recursive: true)
      let following = loop.spawn { await follow(watcher, loop) }
      while try await files.readdirCount(root) > 0 { try await loop.sleep(for: .milliseconds(1)).value }
      try await files.rmdir(root).value
      await following.value
    }
  }

  /// Makes a directory with a file once all is watched, and removes both when they are told, until the root goes.
  private static func follow(_ watcher: FileWatcher, _ loop: EventLoop) async {
    var isComplete = false
    do throws(UVError) {
      let root = try watcher.path()
      for try await event in watcher {
        if event.kinds.contains(.complete), !isComplete {
          isComplete = true
          try await loop.files.mkdir(root.appending("a/b")).value
          try await loop.files.writeFile(root.appending("a/b/file"), "x").value
        }
        if event.kinds.contains(.overflow) { print("overflow") }
        if let error = event.error { print(error) }
        guard let name = event.name, name != ".", isComplete else { continue }
        if (try? await loop.files.unlink(root.appending(name.string)).value) != nil { print("removed", name) }
        if name == "a/b/file" || name == "a/b" {
          for folder in ["a/b", "a"] where (try? await loop.files.rmdir(root.appending(folder)).value) != nil
          {
            print("removed", folder)
          }
        }
      }
    } catch { print(error.code == .noSuchFile, isComplete) }
  }
}

extension FileSystem {
  fileprivate func readdirCount(_ path: FilePath) async throws(UVError) -> Int {
    try await scandir(path).value.count
  }
}

// Prints:
// removed a/b/file
// removed a/b
// removed a
// true true
