import SystemPackage
import Testing
import UV
import UVTestSupport

@Suite struct FileSystemTests {
  @Test func wholeFiles() async throws {
    try await withLoop { loop in
      let directory = try await loop.files.mkdtemp("/tmp/uv-test-XXXXXX").value
      let path = directory.appending("a")
      try await loop.files.writeFile(path, "contents").value
      #expect(try await loop.files.readFile(path).value == "contents")
      try await loop.files.writeFile(path, "more", atomically: true).value
      #expect(try await loop.files.readFile(path).value == "more")
      let file = try await loop.files.open(path, .readWrite).value
      #expect(try await file.read(2).value == "mo")
      #expect(try await file.read(20).value == "re")
      #expect(try await file.read(20).value == Bytes())
      try await file.write("xyz", at: 1).value
      #expect(try await file.read(20, at: 0).value == "mxyz")
      #expect(try await file.stat().value.size == 4)
      try await file.close().value
      let names = try await loop.files.scandir(directory).value.map(\.name.string)
      #expect(names == ["a"])
      try await loop.files.unlink(path).value
      try await loop.files.rmdir(directory).value
      await expectError(.noSuchFile, of: try await loop.files.stat(path).value)
    }
  }
}
