import Testing
import UV
import UVTestSupport

/// When a file is closed, and what becomes of operations before and after.
@Suite struct FileCloseTests {
  enum Closer: CaseIterable, Sendable { case callback, request, task, ignored }

  @Test(arguments: [FileDescriptor.AccessMode.readOnly, .readWrite], [0, 1, 3])
  func `A file closes once, after the operations that are under way, and each closer is answered`(
    mode: FileDescriptor.AccessMode, count: Int
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "text").value
      let before = openDescriptors().count
      let file = try await loop.files.open(path, mode).value
      let log = Log<String>()
      let letGo = keepPoolBusy(of: loop)
      for number in 0..<count {
        file.read(4, at: 0) { log.append("read \(number) \($0.value.map { "\($0)" } ?? "?")") }
      }
      for closer in Closer.allCases {
        switch closer {
        case .callback: file.close { log.append("closed \($0.error?.name ?? "ok")") }
        case .request: file.close().start { log.append("closed \($0.error?.name ?? "ok")") }
        case .task:
          loop.spawn {
            try? await file.close().value; log.append("closed ok")
          }
        case .ignored: file.close()
        }
      }
      // What comes later is refused, with the file's path.
      let late = Log<UVError>()
      func refused<T>(_ result: Result<T, UVError>) { if let error = result.error { late.append(error) } }
      file.read(1, at: 0, refused)
      file.read([1], at: 0, refused)
      file.write("x", at: 0, refused)
      file.write(["x"], at: 0, refused)
      file.stat(refused)
      file.truncate(to: 0, refused)
      file.sync(refused)
      file.dataSync(refused)
      file.chmod([], refused)
      file.chown(owner: .max, group: .max, refused)
      file.utime(accessTime: .zero, modificationTime: .zero, refused)
      #expect(late.values == [])
      try await loop.settle { late.values.count == 11 }
      #expect(late.values.allSatisfy { $0.code == .badDescriptor && $0.subject == path })
      #expect(Set(late.values.map(\.operation)).count == 9)
      if count > 0 { #expect(log.values == [] && openDescriptors().count == before + 1) }
      letGo()
      try await loop.until { log.values.count == count + 3 }
      #expect(log.values.prefix(count).sorted() == (0..<count).map { "read \($0) text" })
      #expect(log.values.suffix(3) == ["closed ok", "closed ok", "closed ok"])
      #expect(openDescriptors().count == before)
      try await file.close().value
      #expect(try await loop.files.stat(path).value.size == 4)
    }
  }

  @Test(arguments: [FileDescriptor.AccessMode.readOnly, .readWrite])
  func
    `A file whose operation is cancelled is closed when that has left the pool, or at once if it hasn't begun`(
      mode: FileDescriptor.AccessMode
    ) async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "text").value
      let before = openDescriptors().count
      let file = try await loop.files.open(path, mode).value
      let log = Log<String>()
      let letGo = keepPoolBusy(of: loop)
      let pending = [
        file.stat { log.append("stat \($0.error?.name ?? "ok")") },
        file.sync { log.append("sync \($0.error?.name ?? "ok")") },
      ]
      file.close { log.append("closed \($0.error?.name ?? "ok")") }
      for request in pending { request.cancel() }
      try await loop.until { log.values.count >= 2 }
      #expect(log.values.prefix(2) == ["stat ECANCELED", "sync ECANCELED"])
      letGo()
      try await loop.until { log.values.count == 3 }
      #expect(log.values[2] == "closed ok" && openDescriptors().count == before)
    }
  }

  @Test
  func
    `A file that nobody holds is closed, also with operations under way, on another thread, after the loop's end`()
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "text").value
      let before = openDescriptors().count
      let log = Log<String>()
      func open() async throws(UVError) -> File { try await loop.files.open(path, .readWrite).value }
      try await open().read(4, at: 0) { log.append("\($0.value.map { "\($0)" } ?? "?")") }
      try await loop.until { log.values == ["text"] }
      try await loop.until { openDescriptors().count == before }
      let box = Box(try await open())
      try await loop.work { box.value = nil }.value
      #expect(openDescriptors().count == before)
    }
    try await withThread {
      for isClosed in [false, true] {
        let loop = try EventLoop()
        var file: File?
        loop.files.open("/etc/passwd") { file = $0.value }
        loop.runCallbacks { _ in }
        loop.shutdown()
        let log = Log<String>()
        if isClosed { for _ in 0..<2 { file!.close { log.append($0.error?.name ?? "ok") } } }
        file!.stat { log.append($0.error?.name ?? "ok") }
        #expect(log.values == (isClosed ? ["ok", "ok", "EBADF"] : ["ELOOPCLOSED"]))
        file = nil
      }
    }
  }
}
