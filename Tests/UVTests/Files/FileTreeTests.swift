import Foundation
import Testing
import UV
import UVTestSupport

/// Folders that are made, removed, copied and moved with all that is in them.
@Suite struct FileTreeTests {
  /// Makes a tree of five files, two links and three folders besides its own.
  private nonisolated(nonsending) func makeTree(_ files: FileSystem, _ path: String) async throws(UVError) {
    for folder in ["a/b", "empty"] { try await files.makedirs("\(path)/\(folder)").value }
    for (number, name) in ["one", "a/two", "a/b/three", "a/b/.four", "a/five \u{fc}"].enumerated() {
      try await files.writeFile("\(path)/\(name)", Bytes(repeating: UInt8(number), count: number * 50_000))
        .value
    }
    try await files.chmod("\(path)/one", FilePermissions(rawValue: 0o600)).value
    try await files.symlink(to: "one", at: "\(path)/a/link").value
    try await files.symlink(to: "/nowhere", at: "\(path)/broken").value
  }

  /// All paths below a folder, each with its type, its permissions, and its contents or its target.
  private nonisolated(nonsending) func listing(_ files: FileSystem, _ path: String) async throws(UVError)
    -> [String]
  {
    var lines: [String] = []
    for entry in try await files.scandir(path).value {
      let (name, status) = (
        "\(path)/\(entry.name.string)", try await files.lstat("\(path)/\(entry.name.string)").value
      )
      let line = "\(entry.name) \(status.type) \(String(status.permissions.rawValue, radix: 8))"
      switch status.type {
      case .directory: lines += [line] + (try await listing(files, name)).map { "\(entry.name)/\($0)" }
      case .symbolicLink: lines.append("\(entry.name) -> \(try await files.readlink(name).value)")
      default: lines.append("\(line) \(try await files.readFile(name).value.hashValue)")
      }
    }
    return lines.sorted()
  }

  @Test func `makedirs makes the folders that are missing, and takes those that are there`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      for path in ["a", "a/b/c", "a/b/c", "a//b/d/", "a/../e/./f"] {
        try await files.makedirs("\(directory)/\(path)", permissions: FilePermissions(rawValue: 0o700)).value
      }
      #expect(
        try await listing(files, directory) == [
          "a directory 700", "a/b directory 700", "a/b/c directory 700", "a/b/d directory 700",
          "e directory 700", "e/f directory 700",
        ])
      try await files.symlink(to: "a", at: "\(directory)/link").value
      try await files.makedirs("\(directory)/link/g").value
      #expect(try await files.stat("\(directory)/a/g").value.type == .directory)
      try await files.writeFile("\(directory)/file", "x").value
      try await files.symlink(to: "nowhere", at: "\(directory)/broken").value
      for path in ["file", "broken"] {
        await expectError(.notDirectory, of: try await files.makedirs("\(directory)/\(path)").value)
      }
      await expectError(.notDirectory, of: try await files.makedirs("\(directory)/file/a/b").value)
      await expectError(.noSuchFile, of: try await files.makedirs("").value)
      await expectError(.invalidArgument, of: try await files.makedirs("a\0b").value)
    }
  }

  @Test func `Folders that lead to one can be used, whatever its own permissions are`() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.makedirs("\(directory)/a/b", permissions: FilePermissions(rawValue: 0o400)).value
      #expect(try await listing(loop.files, directory) == ["a directory 700", "a/b directory 400"])
    }
  }

  @Test func `rmtree removes all that is in a folder, and nothing that its links name`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      let progress = FileTreeProgress()
      try await makeTree(files, "\(directory)/tree")
      try await files.makedirs("\(directory)/outside").value
      try await files.writeFile("\(directory)/outside/file", "x").value
      try await files.symlink(to: "\(directory)/outside", at: "\(directory)/tree/a/out").value
      try await files.chmod("\(directory)/tree/one", FilePermissions(rawValue: 0o400)).value
      try await files.rmtree("\(directory)/tree/", progress: progress).value
      #expect((progress.files, progress.folders, progress.bytes) == (8, 4, 0))
      // A link to a folder, and a file.
      try await files.symlink(to: "outside", at: "\(directory)/link").value
      try await files.rmtree("\(directory)/link/").value
      #expect(try await files.readFile("\(directory)/outside/file").value == "x")
      try await files.rmtree("\(directory)/outside/file").value
      #expect(try await listing(files, directory) == ["outside directory 755"])
      await expectError(.noSuchFile, of: try await files.rmtree("\(directory)/tree").value)
      await expectError(.noSuchFile, of: try await files.rmtree("").value)
    }
  }

  @Test(arguments: ["/", "//", ".", "..", "x/.", "x/..", "x/../"])
  func `rmtree refuses a path whose end isn't a name`(path: String) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.makedirs("\(directory)/x/y").value
      let path = path.hasPrefix("/") ? path : "\(directory)/\(path)"
      await expectError(.invalidArgument, of: try await loop.files.rmtree(path).value)
      #expect(try await listing(loop.files, directory).count == 2)
    }
  }

  @Test func `A tree that is too deep is refused with the path of the level`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, levels) = (loop.files, String(repeating: "/a", count: 300))
      try await files.makedirs(directory + levels).value
      for operation in ["rmtree", "copytree"] {
        do throws(UVError) {
          if operation == "rmtree" {
            try await files.rmtree("\(directory)/a").value
          } else {
            try await files.copytree("\(directory)/a", to: "\(directory)/b").value
          }
          Issue.record("\(operation) didn't fail")
        } catch {
          #expect(error.code == .nameTooLong && error.operation == operation)
          #expect(error.subject == directory + String(repeating: "/a", count: 257))
        }
      }
      // From below it can be removed.
      try await files.rmtree(directory + String(repeating: "/a", count: 100)).value
      try await files.rmtree("\(directory)/a").value
    }
  }

  @Test func `copytree copies contents, permissions, links and empty folders`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, progress) = (loop.files, FileTreeProgress())
      try await makeTree(files, "\(directory)/tree")
      try await files.chmod("\(directory)/tree/empty", FilePermissions(rawValue: 0o500)).value
      try await files.copytree("\(directory)/tree/", to: "\(directory)/copy/", progress: progress).value
      #expect(try await listing(files, "\(directory)/copy") == listing(files, "\(directory)/tree"))
      #expect((progress.files, progress.folders, progress.bytes) == (7, 4, 500_000))
      // Once more, beside what is there.
      try await files.writeFile("\(directory)/copy/own", "x").value
      try await files.writeFile("\(directory)/copy/one", "a longer one").value
      try await files.copytree("\(directory)/tree", to: "\(directory)/copy").value
      try await files.unlink("\(directory)/copy/own").value
      #expect(
        try await listing(files, "\(directory)/copy").map {
          $0.replacing("one regular 644", with: "one regular 600")
        }
          == listing(files, "\(directory)/tree"))
      await expectError(
        .fileExists,
        of: try await files.copytree("\(directory)/tree", to: "\(directory)/copy", options: .exclusive).value)
      await expectError(
        .noSuchFile, of: try await files.copytree("\(directory)/none", to: "\(directory)/other").value)
      // A file alone, and itself.
      try await files.copytree("\(directory)/tree/a/two", to: "\(directory)/two").value
      try await files.copytree("\(directory)/two", to: "\(directory)/two").value
      #expect(try await files.readFile("\(directory)/two").value.count == 50_000)
    }
  }

  @Test(arguments: ["tree", "tree/copy", "tree/a/b/copy", "link/copy", "tree/a/../copy/", "./tree/"])
  func `A tree isn't copied into itself, and nothing is made there`(path: String) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await makeTree(loop.files, "\(directory)/tree")
      try await loop.files.symlink(to: "tree/a", at: "\(directory)/link").value
      let before = try await listing(loop.files, directory)
      await expectError(
        .invalidArgument,
        of: try await loop.files.copytree("\(directory)/tree", to: "\(directory)/\(path)").value)
      #expect(try await listing(loop.files, directory) == before)
    }
  }

  @Test func `A link in the place of a copy is replaced, and what it names stays as it is`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      try await makeTree(files, "\(directory)/tree")
      try await files.makedirs("\(directory)/copy/a").value
      try await files.writeFile("\(directory)/precious", "x").value
      try await files.symlink(to: "\(directory)/precious", at: "\(directory)/copy/a/two").value
      try await files.symlink(to: "\(directory)/precious", at: "\(directory)/copy/broken").value
      try await files.copytree("\(directory)/tree", to: "\(directory)/copy").value
      #expect(try await files.readFile("\(directory)/precious").value == "x")
      #expect(try await files.lstat("\(directory)/copy/a/two").value.type == .regular)
      // A link to a folder in a folder's place would lead out of the copy.
      try await files.rmtree("\(directory)/copy/a").value
      try await files.makedirs("\(directory)/outside").value
      try await files.symlink(to: "\(directory)/outside", at: "\(directory)/copy/a").value
      await expectError(
        .notDirectory, of: try await files.copytree("\(directory)/tree", to: "\(directory)/copy").value)
      #expect(try await listing(files, "\(directory)/outside").isEmpty)
    }
  }

  @Test func `What can't be copied fails with its path`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      try await files.makedirs("\(directory)/tree/a").value
      #expect(mkfifo("\(directory)/tree/a/fifo", 0o600) == 0)
      do throws(UVError) {
        try await files.copytree("\(directory)/tree", to: "\(directory)/copy").value
        Issue.record("the copy didn't fail")
      } catch {
        #expect((error.code, error.subject) == (.invalidArgument, "\(directory)/tree/a/fifo"))
      }
      try await files.rmtree("\(directory)/tree/a/fifo").value
      try await files.writeFile("\(directory)/tree/b", "x").value
      try await files.makedirs("\(directory)/other/b").value
      try await files.writeFile("\(directory)/other/a", "x").value
      await expectFailure(.isDirectory, .notDirectory) { () async throws(UVError) in
        try await files.copytree("\(directory)/tree", to: "\(directory)/other").value
      }
    }
  }

  @Test func `A copy that is cancelled ends when no thread works on it, without a half file`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, log) = (loop.files, Log<Result<Void, UVError>>())
      try await files.makedirs("\(directory)/tree").value
      // More than there is time for.
      let file = try await files.open("\(directory)/tree/long", .writeOnly, options: .create).value
      try await file.truncate(to: 1 << 40).value
      try await file.close().value
      let pending = files.copytree("\(directory)/tree", to: "\(directory)/copy") { log.append($0) }
      try await loop.until {
        (try? FileManager.default.attributesOfItem(atPath: "\(directory)/copy/long")[.size] as? Int) ?? 0 > 0
      }
      pending.cancel()
      try await loop.until { !log.values.isEmpty }
      #expect(log.values.map(\.error?.code) == [.cancelled])
      #expect(try await listing(files, "\(directory)/copy").isEmpty)
    }
  }

  @Test func `move renames, and replaces a file or an empty folder`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      try await makeTree(files, "\(directory)/tree")
      let before = try await listing(files, "\(directory)/tree")
      try await files.makedirs("\(directory)/moved").value
      try await files.move("\(directory)/tree", to: "\(directory)/moved").value
      #expect(try await listing(files, "\(directory)/moved") == before)
      try await files.writeFile("\(directory)/file", "x").value
      try await files.move("\(directory)/file", to: "\(directory)/moved/one").value
      #expect(try await files.readFile("\(directory)/moved/one").value == "x")
      try await files.makedirs("\(directory)/folder").value
      await expectFailure(.directoryNotEmpty, .fileExists) { () async throws(UVError) in
        try await files.move("\(directory)/folder", to: "\(directory)/moved").value
      }
      await expectError(
        .noSuchFile, of: try await files.move("\(directory)/none", to: "\(directory)/x").value)
      await expectError(
        .invalidArgument, of: try await files.move("\(directory)/moved", to: "\(directory)/moved/a/x").value)
    }
  }

  @Test(.enabled(if: FileTreeTests.hasOtherFileSystem))
  func `A move to another file system copies with the times, and removes the original`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, progress) = (loop.files, FileTreeProgress())
      let away = try await files.mkdtemp("/dev/shm/swift-uv-XXXXXX").value.string
      try await makeTree(files, "\(directory)/tree")
      try await files.utime(
        "\(directory)/tree/one", accessTime: .seconds(1000), modificationTime: .seconds(2000)
      ).value
      let before = try await listing(files, "\(directory)/tree")
      try await files.makedirs("\(away)/moved").value
      try await files.move("\(directory)/tree", to: "\(away)/moved", progress: progress).value
      #expect(try await listing(files, "\(away)/moved") == before)
      #expect(progress.files == 7)
      #expect(try await files.stat("\(away)/moved/one").value.modificationTime == .seconds(2000))
      #expect(try await listing(files, directory).isEmpty)
      // A file over a file, over a folder, and a folder over one that isn't empty.
      try await files.writeFile("\(directory)/file", "x").value
      try await files.move("\(directory)/file", to: "\(away)/moved/one").value
      #expect(try await files.readFile("\(away)/moved/one").value == "x")
      try await files.makedirs("\(directory)/folder").value
      try await files.writeFile("\(directory)/file", "y").value
      await expectError(
        .isDirectory, of: try await files.move("\(directory)/file", to: "\(away)/moved").value)
      await expectError(
        .notDirectory, of: try await files.move("\(directory)/folder", to: "\(away)/moved/one").value)
      await expectError(
        .directoryNotEmpty, of: try await files.move("\(directory)/folder", to: "\(away)/moved").value)
      // What was there stays until the copy is complete.
      let long = try await files.open("\(directory)/long", .writeOnly, options: .create).value
      try await long.truncate(to: 1 << 40).value
      try await long.close().value
      let log = Log<Result<Void, UVError>>()
      let pending = files.move("\(directory)/long", to: "\(away)/moved/one") { log.append($0) }
      let names = { try? FileManager.default.contentsOfDirectory(atPath: "\(away)/moved").count }
      // The copy has a name of its own.
      try await loop.until { names() == 5 }
      pending.cancel()
      try await loop.until { !log.values.isEmpty }
      #expect(log.values.map(\.error?.code) == [.cancelled])
      #expect(try await files.readFile("\(away)/moved/one").value == "x")
      #expect(names() == 4)
      // What can't be copied stays, and no copy is left.
      #expect(mkfifo("\(directory)/folder/fifo", 0o600) == 0)
      await expectError(
        .invalidArgument, of: try await files.move("\(directory)/folder", to: "\(away)/new").value)
      #expect(try await files.lstat("\(directory)/folder/fifo").value.type == .fifo)
      #expect(try await listing(files, away).contains { $0.hasPrefix("new") } == false)
      try await files.rmtree(away).value
    }
  }

  /// Whether there is another file system than that of temporary files.
  static let hasOtherFileSystem: Bool = {
    func device(_ path: String) -> Int? {
      try? FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
    }
    let other = device("/dev/shm")
    return other != nil && other != device(FileManager.default.temporaryDirectory.path)
  }()
}
