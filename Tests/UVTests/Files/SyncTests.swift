import Testing
import UV
import UVTestSupport

/// Files that are to outlast a loss of power.
@Suite struct SyncTests {
  @Test(
    "A file that is written through to the disk has its contents, new or replaced", arguments: [true, false])
  func contents(atomically: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let path = directory + "/file"
        for text in ["first, and longer", "second"] as [Bytes] {
          try await loop.files.writeFile(path, text, atomically: atomically, sync: true).value
          #expect(try await loop.files.readFile(path).value == text)
        }
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test("Where it can't be written, nothing is left behind", arguments: [true, false])
  func errors(atomically: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        await expectError(
          .noSuchFile,
          of: try await loop.files.writeFile(
            directory + "/none/file", "text", atomically: atomically, sync: true
          ).value)
        await expectError(
          .isDirectory,
          of: try await loop.files.writeFile(directory + "/", "text", atomically: atomically, sync: true)
            .value)
        let names = try await loop.files.scandir(directory).value.map(\.name)
        #expect(names.isEmpty)
      }
    }
  }

  @Test("A directory is synchronized by its descriptor, as the article says")
  func directory() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let folder = try await loop.files.open(directory).value
        try await folder.sync().value
        try await folder.close().value
      }
    }
  }
}
