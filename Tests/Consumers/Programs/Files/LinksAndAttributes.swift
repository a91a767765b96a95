// What a file is beside its contents: its attributes, its names, its links and copies.
import UV

enum LinksAndAttributes: Program {
  static func main() throws {
    try attributesOfFiles()
    try linksAndCopies()
  }

  /// Who may do what with a file, when it was changed, and what its file system has.
  private static func attributesOfFiles() throws {
    try EventLoop.run { loop in
      let files = loop.files
      let root = try await files.mkdtemp("/tmp/consumers-XXXXXX").value
      let path = root.appending("file")
      let link = root.appending("link")
      try await files.writeFile(path, [1, 2, 3]).value
      try await files.symlink(to: "file", at: link).value
      try await files.access(path).value
      try await files.access(path, [.read, .write]).value
      try await files.chmod(path, [.ownerRead]).value
      try await files.utime(path, accessTime: .seconds(10), modificationTime: .seconds(20)).value
      try await files.lutime(link, accessTime: .seconds(30), modificationTime: .seconds(40)).value
      let status = try await files.stat(path).value
      print(status.permissions == .ownerRead, status.accessTime, status.modificationTime, status.size)
      print(try await files.lstat(link).value.modificationTime)
      try await files.chown(path, owner: status.owner, group: status.group).value
      try await files.lchown(link, owner: status.owner, group: status.group).value
      print(status.inode > 0, status.device > 0, status.blocks > 0, status.links)
      print(status.changeTime > .seconds(1_000_000), status.creationTime >= .zero)
      do throws(UVError) {
        try await files.access(root.appending("none"), .exists).value
      } catch {
        print(error.name)
      }
      let system = try await files.statfs(root).value
      print(
        system.blockSize > 0, system.blocks >= system.freeBlocks, system.freeBlocks >= system.availableBlocks)
      print(system.files >= system.freeFiles, system.type > 0, FileAccess.execute.rawValue > 0)
      try await files.unlink(link).value
      try await files.unlink(path).value
      try await files.rmdir(root).value
    }
  }

  /// Hard and symbolic links, copies, renames, and what a path really is.
  private static func linksAndCopies() throws {
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
      print(
        await code(awaiting: try await files.copyfile(a, to: d, options: [.exclusive, .clone]).value)
          == .fileExists
      )
      print(CopyOptions.cloneOrFail.rawValue != CopyOptions.clone.rawValue)
      try await files.rename(d, to: b).value
      print(try await files.readFile(b, maximumSize: 100).value == "contents")
      print(await code(awaiting: try await files.readFile(b, maximumSize: 3).value) == .fileTooLarge)
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
// true 10.0 seconds 20.0 seconds 3
// 40.0 seconds
// true true true 1
// true true
// ENOENT
// true true true
// true true true
// 2
// true
// true
// true
// true
// true
// true
