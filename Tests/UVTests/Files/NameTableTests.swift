import Foundation
import Testing
import UV
import UVTestSupport

/// Names, rights and sizes beside what the system says of them.
@Suite(.serialized, .onTheMachine("names of other bytes, users and devices")) struct NameTableTests {
  @Test func `Entries are sorted by the bytes of their names, and each has its type`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let names = [
        "b", "a", "B", "10", "9", "ä", "z", ".hidden", "a b", "aa", "Z", "~", "\u{10348}", "é", "...",
      ]
      for name in names { try await loop.files.writeFile("\(directory)/\(name)", "").value }
      try await loop.files.mkdir("\(directory)/folder").value
      try await loop.files.symlink(to: "nowhere", at: "\(directory)/link").value
      mkfifo("\(directory)/fifo", 0o600)
      let entries = try await loop.files.scandir(directory).value
      let expected = (names + ["folder", "link", "fifo"]).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      }
      #expect(entries.map(\.name.string) == expected)
      func type(_ name: String) -> FileType? { entries.first { $0.name.string == name }?.type }
      #expect(
        (type("folder"), type("link"), type("fifo"), type("a")) == (
          .directory, .symbolicLink, .fifo, .regular
        ))
      // The same entries by parts, and each with its status.
      var parts: [DirectoryEntry] = []
      for try await some in try await loop.files.opendir(directory, batchSize: 4).value { parts += some }
      #expect(Set(parts) == Set(entries) && parts.count == entries.count)
      for entry in entries {
        #expect(try await loop.files.lstat("\(directory)/\(entry.name.string)").value.type == entry.type)
      }
      #expect(try await loop.files.scandir("\(directory)/folder").value.isEmpty)
    }
  }

  @Test func `The types of the system's own files are distinguished`() async throws {
    try await withLoop { loop in
      for (path, type) in [
        ("/dev/null", FileType.characterDevice), ("/", .directory), ("/etc/passwd", .regular),
        ("/proc/self", .directory),
      ] { #expect(try await loop.files.stat(path).value.type == type) }
      #expect(try await loop.files.lstat("/proc/self").value.type == .symbolicLink)
      let null = try #require(try await loop.files.scandir("/dev").value.first { $0.name.string == "null" })
      #expect(null.type == .characterDevice)
    }
  }

  @Test func `A status is the system's in each of its numbers`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(
        path, Bytes(repeating: 1, count: 10_000), permissions: FilePermissions(rawValue: 0o640)
      ).value
      try await loop.files.link(path, to: "\(directory)/g").value
      try await loop.files.chmod(path, FilePermissions(rawValue: 0o4751)).value
      try await loop.files.utime(
        path, accessTime: .seconds(10) + .nanoseconds(1), modificationTime: .seconds(20) + .nanoseconds(2)
      ).value
      var system = Foundation.stat()
      #expect(lstat(path, &system) == 0)
      func time(_ time: timespec) -> Duration { .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }
      let file = try await loop.files.open(path).value
      for status in [
        try await loop.files.stat(path).value, try await loop.files.lstat(path).value,
        try await file.stat().value,
      ] {
        #expect(status.size == 10_000 && status.links == 2 && status.permissions.rawValue == 0o4751)
        #expect(status.device == UInt64(system.st_dev) && status.inode == UInt64(system.st_ino))
        #expect(
          status.owner == system.st_uid && status.group == system.st_gid
            && status.blocks == UInt64(system.st_blocks))
        #expect(status.accessTime == .seconds(10) + .nanoseconds(1))
        #expect(status.modificationTime == .seconds(20) + .nanoseconds(2))
        #expect(status.changeTime == time(system.st_ctim))
        #expect(
          status.creationTime == .zero
            || status.creationTime <= status.changeTime && status.creationTime > .seconds(1 << 30))
      }
      try await file.close().value
    }
  }

  @Test func `The times of a file are those that were set, on both sides of 1970 and of each second`()
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let (path, link) = ("\(directory)/f", "\(directory)/link")
      let file = try await loop.files.open(path, .readWrite, options: .create).value
      try await loop.files.symlink(to: "f", at: link).value
      var times: [Duration] = []
      for seconds in [Int64(-86_400), -5, -1, 0, 1, 5, 1 << 31, 1 << 33] {
        for nanoseconds in [Int64(0), 1, 500_000_000, 999_999_999] {
          times.append(.seconds(seconds) + .nanoseconds(nanoseconds))
        }
      }
      for (index, time) in times.enumerated() {
        let other = times[(index * 7 + 3) % times.count]
        // Some file systems know less.
        try await loop.files.utime(path, accessTime: time, modificationTime: other).value
        let first = (try await loop.files.stat(path).value, try await file.stat().value)
        #expect(first.0.modificationTime == other && first.1.accessTime == time, "\(time)")
        try await file.utime(accessTime: other, modificationTime: time).value
        let second = (try await loop.files.stat(path).value, try await file.stat().value)
        #expect(second.0.modificationTime == time && second.1.accessTime == other, "\(time)")
        try await loop.files.lutime(link, accessTime: time, modificationTime: other).value
        #expect(try await loop.files.lstat(link).value.modificationTime == other, "\(other)")
        // What the link names stays as it is.
        #expect(try await loop.files.stat(link).value.modificationTime == time)
      }
      try await file.close().value
    }
  }

  @Test func `Temporary names are new each time, with the permissions for their owner alone`() async throws {
    try await withLoopAndDirectory { loop, directory in
      var names: Set<String> = []
      for _ in 0..<10 {
        let folder = try await loop.files.mkdtemp("\(directory)/d-XXXXXX").value
        let status = try await loop.files.stat(folder).value
        #expect(
          status.type == .directory && status.permissions.rawValue == 0o700
            && folder.string.hasPrefix("\(directory)/d-"))
        let file = try await loop.files.mkstemp("\(directory)/f-XXXXXX").value
        #expect(try await file.stat().value.permissions.rawValue == 0o600)
        try await file.write("own").value
        #expect(try await file.read(3, at: 0).value == "own")
        for path in [folder, file.path] {
          #expect(names.insert(path.string).inserted && path.string.utf8.count == directory.utf8.count + 9)
        }
        try await file.close().value
      }
      for template in ["\(directory)/f", "\(directory)/f-XXXXX", "XXXXXX/f"] {
        await expectError(.invalidArgument, of: try await loop.files.mkdtemp(template).value)
        await expectError(.invalidArgument, of: try await loop.files.mkstemp(template).value)
      }
      // A cancelled one leaves nothing.
      let before = try await loop.files.scandir(directory).value.count
      for _ in 0..<20 {
        loop.files.mkdtemp("\(directory)/d-XXXXXX") { _ in }.cancel()
        loop.files.mkstemp("\(directory)/f-XXXXXX") { _ in }.cancel()
      }
      try await loop.until { loop.statistics.requests == 0 }
      #expect(try await loop.files.scandir(directory).value.count == before)
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `Rights are those of the process, each alone and together`() async {
    await #expect(processExitsWith: .success) {
      guard setgid(65534) == 0, setuid(65534) == 0 else { exit(2) }
      try await withTemporaryDirectory { directory in
        try EventLoop.run { loop in
          for mode in 0..<8 {
            let path = "\(directory)/\(mode)"
            try await loop.files.writeFile(path, "").value
            try await loop.files.chmod(path, FilePermissions(rawValue: CInterop.Mode(mode << 6))).value
            for asked in Int32(0)..<8 {
              let found = await code { () async throws(UVError) in
                try await loop.files.access(path, FileAccess(rawValue: asked)).value
              }
              precondition(
                found == (Int32(mode) & asked == asked ? nil : .permissionDenied),
                "\(mode) \(asked): \(found as Any)")
            }
          }
          precondition(FileAccess.exists.rawValue == 0)
          let rights: [FileAccess] = [.execute, .write, .read]
          precondition(rights.map(\.rawValue) == [1, 2, 4])
        }
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `Owner and group are set each alone, and a link's are its own`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (path, link) = ("\(directory)/f", "\(directory)/link")
      let file = try await loop.files.open(path, .readWrite, options: .create).value
      try await loop.files.symlink(to: "f", at: link).value
      func owners(_ path: String) async throws(UVError) -> [UInt32] {
        let status = try await loop.files.lstat(path).value
        return [status.owner, status.group]
      }
      try await loop.files.chown(path, owner: 11, group: 12).value
      #expect(try await owners(path) == [11, 12])
      try await loop.files.chown(link, owner: 13, group: .max).value
      #expect(try await owners(path) == [13, 12])
      #expect(try await owners(link) == [0, 0])
      try await file.chown(owner: .max, group: 14).value
      #expect(try await owners(path) == [13, 14])
      try await loop.files.lchown(link, owner: 15, group: 16).value
      #expect(try await owners(link) == [15, 16])
      #expect(try await owners(path) == [13, 14])
      try await file.chown(owner: 17, group: .max).value
      #expect(try await owners(path) == [17, 14])
      try await file.close().value
    }
  }

  @Test func `The size of a file system is what the system says`() async throws {
    try await withLoopAndDirectory { loop, directory in
      var system = Foundation.statvfs()
      let descriptor = Foundation.open(directory, O_RDONLY | O_CLOEXEC)
      #expect(fstatvfs(descriptor, &system) == 0)
      Foundation.close(descriptor)
      let status = try await loop.files.statfs(directory).value
      #expect(status.blocks == UInt64(system.f_blocks) && status.files == UInt64(system.f_files))
      #expect(status.blockSize == UInt64(system.f_bsize) && status.freeBlocks >= status.availableBlocks)
      #expect(status.freeBlocks <= status.blocks && status.freeFiles <= status.files)
    }
  }
}
