import Foundation
import Testing
import UV
import UVTestSupport

/// Files that are read, written and copied whole: each option, on what is there already.
@Suite(.serialized, .onTheMachine("links and permissions")) struct WholeFileTableTests {
  @Test func `A file of the largest size that is allowed is read, and one byte more is refused`() async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      for size in [0, 1, 4095, 4096, 4097, 65_536, 100_000] {
        let bytes = Bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await loop.files.writeFile(path, bytes).value
        for limit in [size, size + 1, .max] {
          #expect(
            try await loop.files.readFile(path, maximumSize: limit).value == bytes, "\(size) of \(limit)")
        }
        #expect(try await loop.files.readFile(path).value == bytes)
        if size > 0 {
          await expectError(
            .fileTooLarge, of: try await loop.files.readFile(path, maximumSize: size - 1).value)
        }
      }
      // One whose size the system doesn't say.
      let status = try await loop.files.readFile("/proc/self/cmdline").value
      #expect(try await loop.files.readFile("/proc/self/cmdline", maximumSize: status.count).value == status)
      await expectError(
        .fileTooLarge,
        of: try await loop.files.readFile("/proc/self/cmdline", maximumSize: status.count - 1).value)
      for limit in [-1, Int.min] {
        await expectError(.fileTooLarge, of: try await loop.files.readFile(path, maximumSize: limit).value)
      }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `What is written is there whole, with the permissions of what it replaces or those it was given`(
    atomically: Bool, sync: Bool
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      func write(_ text: String, _ permissions: FilePermissions) async throws(UVError) {
        try await loop.files.writeFile(
          path, Bytes(text), atomically: atomically, sync: sync, permissions: permissions
        ).value
      }
      for (first, next) in [("a long text", "short"), ("short", "a longer text"), ("", "x"), ("x", "")] {
        try await write(first, .ownerReadWrite)
        #expect(try await loop.files.stat(path).value.permissions == .ownerReadWrite)
        // The second time what was given doesn't count.
        try await write(next, .ownerReadWriteOthersRead)
        #expect(try await loop.files.readFile(path).value == Bytes(next))
        #expect(try await loop.files.stat(path).value.permissions == .ownerReadWrite)
        try await loop.files.unlink(path).value
      }
      // Another name of the file keeps what it had, or has the new contents.
      try await write("old", .ownerReadWrite)
      try await loop.files.link(path, to: "\(directory)/other").value
      try await write("new", .ownerReadWrite)
      #expect(try await loop.files.readFile("\(directory)/other").value == (atomically ? "old" : "new"))
      // A link stays, and its target is written, also where there is none yet.
      for target in ["f", "none"] {
        let link = "\(directory)/link"
        try await loop.files.symlink(to: target, at: link).value
        try await loop.files.writeFile(link, "through", atomically: atomically, sync: sync).value
        #expect(try await loop.files.readlink(link).value.string == target)
        #expect(try await loop.files.readFile("\(directory)/\(target)").value == "through")
        try await loop.files.unlink(link).value
      }
      #expect(
        Set(try await loop.files.scandir(directory).value.map(\.name.string)) == ["f", "none", "other"])
    }
  }

  @Test(arguments: [CopyOptions(), .exclusive, .clone])
  func `A copy has the contents and the permissions, and replaces what its options let it`(
    options: CopyOptions
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let (from, to) = ("\(directory)/from", "\(directory)/to")
      for (size, old) in [(0, nil), (10, 0), (10, 100), (100_000, 5), (5, 200_000)] as [(Int, Int?)] {
        let bytes = Bytes(repeating: 1, count: size)
        try await loop.files.writeFile(from, bytes, permissions: FilePermissions(rawValue: 0o640)).value
        if let old {
          try await loop.files.writeFile(to, Bytes(repeating: 2, count: old), permissions: .ownerReadWrite)
            .value
        }
        if options == .exclusive, let old {
          await expectError(
            .fileExists, of: try await loop.files.copyfile(from, to: to, options: options).value)
          #expect(try await loop.files.readFile(to).value == Bytes(repeating: 2, count: old))
        } else {
          try await loop.files.copyfile(from, to: to, options: options).value
          #expect(try await loop.files.readFile(to).value == bytes)
          #expect(try await loop.files.stat(to).value.permissions.rawValue == 0o640)
        }
        #expect(try await loop.files.readFile(from).value == bytes)
        for path in [from, to] { _ = try? await loop.files.unlink(path).value }
      }
      // By the name of a link, the copy is one of what that names.
      try await loop.files.writeFile(from, "text").value
      try await loop.files.symlink(to: "from", at: "\(directory)/link").value
      try await loop.files.copyfile("\(directory)/link", to: to, options: options).value
      #expect(try await loop.files.lstat(to).value.type == .regular)
      #expect(try await loop.files.readFile(to).value == "text")
      #expect(try await loop.files.scandir(directory).value.count == 3)
    }
  }
}
