import Testing
import UV
import UVTestSupport

@Suite struct FileTests {
  @Test func droppingAFileClosesIt() async throws {
    try await withLoop { loop in
      for _ in 0..<20 { _ = try await loop.files.open("/etc/passwd").value }
    }
  }

  @Test func renamesAndLinks() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await loop.files.writeFile("\(directory)/a", "1").value
        try await loop.files.rename("\(directory)/a", to: "\(directory)/b").value
        await expectError(.noSuchFile, of: try await loop.files.lstat("\(directory)/a").value)
        let status = try await loop.files.lstat("\(directory)/b").value
        #expect(status.type == .regular)
        #expect(status.size == 1)
        #expect(status.links == 1)
        #expect(status.permissions.contains(.ownerReadWrite))
        #expect(status.modificationTime > .seconds(1_600_000_000))
        await expectError(
          .invalidArgument, of: try await loop.files.rename("\(directory)/b", to: "\(directory)/\0c").value)
        await expectError(.directoryNotEmpty, of: try await loop.files.rmdir(directory).value)
      }
    }
  }

  @Test func anAtomicWriteKeepsTheModeAndLeavesNothingBeside() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let path = "\(directory)/f"
        let file = try await loop.files.open(
          path, .writeOnly, options: [.create], permissions: [.ownerReadWrite]
        ).value
        try await file.close().value
        let big = Bytes(repeating: 3, count: 300_000)
        try await loop.files.writeFile(path, big, atomically: true).value
        #expect(try await loop.files.readFile(path).value == big)
        #expect(try await loop.files.stat(path).value.permissions == [.ownerReadWrite])
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test(arguments: [1, 248, 249, 255]) func anAtomicWriteTakesEveryNameThatAFileMayHave(length: Int)
    async throws
  {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let path = "\(directory)/\(String(repeating: "n", count: length))"
        try await loop.files.writeFile(path, "old", atomically: true).value
        try await loop.files.writeFile(path, "new", atomically: true).value
        #expect(try await loop.files.readFile(path).value == "new")
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test func anAtomicWriteTakesEveryPathThatTheSystemTakes() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        // Slashes do not make another name, and a path has at most 4,095 bytes.
        let path = "\(directory)\(String(repeating: "/", count: 4094 - directory.utf8.count))f"
        try await loop.files.writeFile(path, "x", atomically: true).value
        #expect(try await loop.files.readFile(path).value == "x")
        for (path, code) in [
          (directory, UVError.Code.isDirectory), ("\(directory)/", .isDirectory), ("", .noSuchFile),
          ("\(directory)/f/g", .notDirectory), ("\(directory)/none/g", .noSuchFile),
          ("\(directory)/\(String(repeating: "n", count: 256))", .nameTooLong),
        ] {
          await expectError(code, of: try await loop.files.writeFile(path, "x", atomically: true).value)
        }
        #expect(try await loop.files.scandir(directory).value.count == 1)
      }
    }
  }

  @Test(.onTheMachine("/proc")) func filesWithoutASize() async throws {
    try await withLoop { loop in
      // The system says 0 for these, and then gives bytes.
      let text = try await loop.files.readFile("/proc/self/status").value
      #expect(text.description.contains("Pid:"))
      #expect(try await loop.files.readFile("/dev/null").value.isEmpty)
    }
  }

  @Test("Permissions of any size are taken")
  func extremePermissions() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let all = FilePermissions(rawValue: .max)
        try await loop.files.writeFile("\(directory)/f", "x", permissions: all).value
        try await loop.files.chmod("\(directory)/f", all).value
        try await loop.files.unlink("\(directory)/f").value
      }
    }
  }
}
