// Hard and symbolic links, copies, renames, and what a path really is.
import UV

enum LinksAndCopies: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let files = loop.files
      let root = try await files.mkdtemp("/tmp/consumers-XXXXXX").value
      let (a, b, c, d) = (root.appending("a"), root.appending("b"), root.appending("c"), root.appending("d"))
      try await files.writeFile(a, "contents", atomically: true).value
      try await files.link(a, to: b).value
      print(try await files.stat(a).value.links)
      try await files.symlink(to: a, at: c).value
      print(try await files.readlink(c).value == a)
      print(try await files.realpath(c).value == files.realpath(a).value)
      try await files.copyfile(a, to: d, options: .exclusive).value
      do throws(UVError) {
        try await files.copyfile(a, to: d, options: [.exclusive, .clone]).value
      } catch {
        print(error.code == .fileExists)
      }
      print(CopyOptions.cloneOrFail.rawValue != CopyOptions.clone.rawValue)
      try await files.rename(d, to: b).value
      print(try await files.readFile(b, maximumSize: 100).value == "contents")
      do throws(UVError) {
        _ = try await files.readFile(b, maximumSize: 3).value
      } catch {
        print(error.code == .fileTooLarge)
      }
      let temporary = try await files.mkstemp(root.appending("t-XXXXXX")).value
      try await temporary.close().value
      for name in try await files.scandir(root).value.map(\.name) {
        try await files.unlink(root.appending(name)).value
      }
      try await files.rmdir(root).value
    }
  }
}

// Prints:
// 2
// true
// true
// true
// true
// true
// true
