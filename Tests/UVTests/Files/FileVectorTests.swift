import Testing
import UV
import UVTestSupport

/// Several buffers in one read or write of a file.
@Suite struct FileVectorTests {
  private static let options: FileDescriptor.OpenOptions = [.create]

  @Test func severalBuffersAreWrittenAndReadAtAnOffset() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let file = try await loop.files.open("\(directory)/f", .readWrite, options: Self.options).value
        try await file.write(["hello ", "", "world", "!"], at: 3).value
        #expect(
          try await file.read([3, 6, 1, 10, 10], at: 0).value == ["\0\0\0", "hello ", "w", "orld!", ""])
        #expect(try await file.read([4], at: 100).value == [""])
        // The file's position has not moved.
        #expect(try await file.read(3).value == "\0\0\0")
        try await file.write(["HE", "LL", "O"]).value
        #expect(try await file.read([2, 4]).value == [" w", "orld"])
        try await file.write([], at: 0).value
        try await file.close().value
      }
    }
  }

  @Test func moreBuffersThanTheSystemTakesInOneCallAreWrittenWhole() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let file = try await loop.files.open("\(directory)/f", .readWrite, options: Self.options).value
        let lines = (0..<5000).map { "\($0)\n" }
        try await file.write(lines.map { Bytes($0) }, at: 0).value
        #expect(try await loop.files.readFile("\(directory)/f").value.description == lines.joined())
        let rooms = try await file.read(Array(repeating: 7, count: 1024), at: 0).value
        #expect(rooms.map(\.description).joined() == String(lines.joined().prefix(7 * 1024)))
        try await file.close().value
      }
    }
  }

  @Test func whatCannotBeReadOrWrittenIsRefused() async throws {
    try await withLoop { loop in
      let file = try await loop.files.open("/etc/passwd").value
      for counts in [[], [0], [-1], [1 << 30, 1], Array(repeating: 1, count: 1025)] {
        await expectError(.invalidArgument, of: try await file.read(counts, at: 0).value)
      }
      await expectError(.invalidArgument, of: try await file.read([1], at: -1).value)
      await expectError(.invalidArgument, of: try await file.write(["x"], at: -1).value)
      await expectError(.badDescriptor, of: try await file.write(["x"], at: 0).value)
      try await file.close().value
      await expectError(.badDescriptor, of: try await file.read([1]).value)
      await expectError(.badDescriptor, of: try await file.write(["x"]).value)
    }
  }
}
