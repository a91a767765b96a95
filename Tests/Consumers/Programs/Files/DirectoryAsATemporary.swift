// A directory that is opened in the `for` statement lists what is in it.
import UV

enum DirectoryAsATemporary: Program {
  static func main() throws {
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
}

// Prints:
// ["a", "b", "c"]
