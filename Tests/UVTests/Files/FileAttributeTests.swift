import Testing
import UV
import UVTestSupport

@Suite struct FileAttributeTests {
  @Test func links() async throws {
    try await withFile { loop, directory, path in
      let files = loop.files
      try await files.link(path, to: "\(directory)/hard").value
      #expect(try await files.stat(path).value.links == 2)
      try await files.symlink(to: "f", at: "\(directory)/soft").value
      #expect(try await files.readlink("\(directory)/soft").value == "f")
      #expect(try await files.lstat("\(directory)/soft").value.type == .symbolicLink)
      #expect(try await files.stat("\(directory)/soft").value.type == .regular)
      let real = try await files.realpath(directory).value
      #expect(try await files.realpath("\(directory)/./soft").value == real.appending("f"))
      await expectError(.invalidArgument, of: try await files.readlink(path).value)
      await expectError(
        .invalidArgument, of: try await files.symlink(to: "a\0b", at: "\(directory)/x").value)
    }
  }

  @Test func permissionsAndTimes() async throws {
    try await withFile { loop, directory, path in
      let files = loop.files
      try await files.chmod(path, [.ownerRead]).value
      #expect(try await files.stat(path).value.permissions == [.ownerRead])
      try await files.access(path, .read).value
      try await files.access(path).value
      await expectError(.noSuchFile, of: try await files.access("\(path)x").value)
      let times = (Duration.seconds(1_000_000_000), Duration.milliseconds(1_100_000_000_500))
      try await files.utime(path, accessTime: times.0, modificationTime: times.1).value
      #expect(try await files.stat(path).value.accessTime == times.0)
      #expect(try await files.stat(path).value.modificationTime == times.1)
      try await files.symlink(to: "f", at: "\(directory)/soft").value
      try await files.lutime("\(directory)/soft", accessTime: .zero, modificationTime: .seconds(5)).value
      #expect(try await files.lstat("\(directory)/soft").value.modificationTime == .seconds(5))
      #expect(try await files.stat(path).value.modificationTime == times.1)
      let status = try await files.stat(path).value
      try await files.chown(path, owner: status.owner, group: status.group).value
      try await files.lchown(path, owner: status.owner, group: status.group).value
      #expect(try await files.statfs(directory).value.blockSize > 0)
    }
  }

  @Test func openFiles() async throws {
    try await withFile { loop, _, path in
      let file = try await loop.files.open(path, .readWrite).value
      try await file.truncate(to: 3).value
      #expect(try await file.read(10, at: 0).value == "con")
      try await file.truncate(to: 5).value
      #expect(try await file.read(10, at: 0).value == [0x63, 0x6f, 0x6e, 0, 0])
      try await file.chmod([.ownerReadWrite, .groupRead]).value
      #expect(try await file.stat().value.permissions == [.ownerReadWrite, .groupRead])
      try await file.utime(accessTime: .seconds(1), modificationTime: .seconds(2)).value
      #expect(try await file.stat().value.modificationTime == .seconds(2))
      let status = try await file.stat().value
      try await file.chown(owner: status.owner, group: status.group).value
      try await file.sync().value
      try await file.dataSync().value
      try await file.close().value
      await expectError(.badDescriptor, of: try await file.sync().value)
    }
  }

  @Test func copiesAndTemporaryFiles() async throws {
    try await withFile { loop, directory, path in
      let files = loop.files
      try await files.copyfile(path, to: "\(directory)/copy").value
      #expect(try await files.readFile("\(directory)/copy").value == "contents")
      await expectError(
        .fileExists, of: try await files.copyfile(path, to: "\(directory)/copy", options: .exclusive).value)
      let temporary = try await files.mkstemp("\(directory)/t-XXXXXX").value
      #expect(!temporary.path.string.hasSuffix("XXXXXX"))
      try await temporary.write("x").value
      #expect(try await files.readFile(temporary.path).value == "x")
      try await temporary.close().value
    }
  }

  /// A file named `f` in a directory of its own.
  func withFile(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, String, String) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await loop.files.writeFile("\(directory)/f", "contents").value
        try await body(loop, directory, "\(directory)/f")
      }
    }
  }
}
