// A directory and a file are watched for changes: by the system's events, and by looking again.
import UV

enum WatchingAFile: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let root = try await loop.files.mkdtemp("/tmp/consumers-XXXXXX").value
      let path = root.appending("file")
      try await loop.files.writeFile(path, "1").value

      let watcher = try loop.files.watch(root)
      print(try watcher.path() == root)
      let writing = loop.spawn {
        do { try await loop.files.writeFile(path, "22").value } catch { print(error) }
      }
      for try await event in watcher where event.kinds.contains(.change) {
        print(event.name?.string ?? "-")
        break
      }
      await writing.value
      try await watcher.close().value

      let status = try loop.files.watchStatus(path, every: .milliseconds(5))
      print(try status.path() == path)
      status.start { result in
        guard case .success(let change?) = result else { return }
        if case .success(let now) = change.current {
          print(change.previous?.size ?? -1, now.size)
          loop.files.unlink(path) { _ in }
        } else {
          print("gone")
          status.stop()
          status.close()
        }
      }
      try await loop.sleep(for: .milliseconds(20)).value
      try await loop.files.writeFile(path, "333", atomically: true).value
    }
    print(FileEvent.Kinds.rename.rawValue != FileEvent.Kinds.change.rawValue)
  }
}

// Prints:
// true
// file
// true
// 2 3
// gone
// true
