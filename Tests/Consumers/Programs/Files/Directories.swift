// Directories are listed, walked, made and removed.
import UV

enum Directories: Program {
  static func main() throws {
    try directoryAsATemporary()
    try treeOfDirectories()
  }

  /// A directory that is opened in the `for` statement lists what is in it.
  private static func directoryAsATemporary() throws {
    try EventLoop.run { loop in
      let path = try await loop.files.mkdtemp("/tmp/consumers-XXXXXX").value
      for name in ["a", "b", "c"] {
        try await loop.files.writeFile(path.appending(name), Bytes(name)).value
      }
      var names: [String] = []
      for try await entries in try await loop.files.opendir(path, batchSize: 1).value {
        names += entries.map(\.name.string)
      }
      print(names.sorted())
      for name in names { try await loop.files.unlink(path.appending(name)).value }
      try await loop.files.rmdir(path).value
    }
  }

  static func walk(_ loop: EventLoop, _ path: FilePath, _ depth: Int = 0) async throws {
    for entry in try await loop.files.scandir(path).value.sorted(by: { $0.name.string < $1.name.string }) {
      let child = path.appending(entry.name)
      print(String(repeating: " ", count: depth) + entry.name.string)
      switch entry.type {
      case .directory: try await walk(loop, child, depth + 1)
      case .regular, .symbolicLink: break
      case .unknown, .fifo, .socket, .characterDevice, .blockDevice: print("?")
      }
    }
  }

  static func remove(_ loop: EventLoop, _ path: FilePath) async throws {
    let isDirectory = try await loop.files.lstat(path).value.type == .directory
    guard isDirectory else { return try await loop.files.unlink(path).value }
    for entry in try await loop.files.scandir(path).value {
      try await remove(loop, path.appending(entry.name))
    }
    try await loop.files.rmdir(path).value
  }

  /// A tree is made, walked by a function that calls itself, and removed again.
  private static func treeOfDirectories() throws {
    try EventLoop.run { loop in
      let files = loop.files
      let root = try await files.mkdtemp("/tmp/consumers-XXXXXX").value
      try await files.mkdir(root.appending("a"), permissions: .ownerAllOthersReadExecute).value
      try await files.mkdir(root.appending("a/b")).value
      try await files.writeFile(root.appending("a/b/file"), "x", sync: true).value
      try await files.symlink(to: "b/file", at: root.appending("a/link")).value
      try await walk(loop, root)
      print(await code(awaiting: try await files.rmdir(root).value) == .directoryNotEmpty)
      print(await code(awaiting: try await files.mkdir(root).value) == .fileExists)
      try await remove(loop, root)
      print(await code(awaiting: try await files.stat(root).value) == .noSuchFile)
    }
  }
}

// Prints:
// ["a", "b", "c"]
// a
//  b
//   file
//  link
// true
// true
// true
