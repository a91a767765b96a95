import Testing
import UV
import UVTestSupport

/// A file operation after another one, whose object it may use again: it is a new one in each respect.
@Suite struct ReusedRequestTests {
  /// What an object was used for before.
  enum Before: CaseIterable, Sendable {
    case nothing, close, directoryClose, success, failure, cancellation, read, write, vector, times
  }

  /// Operations of each way to the thread pool: on a path, on a file, with buffers, and libuv's own.
  enum Operation: CaseIterable, Sendable {
    case stat, lstat, open, utime, lutime, fileRead, fileReadSeveral, fileWrite, fileStat, fileTruncate,
      fileSync, fileTimes
    case access, chmod, mkdir, rename, unlink, opendir, mkstemp, scandir, readlink, realpath, statfs

    /// The name of the operation in its error.
    var name: String {
      switch self {
      case .fileRead, .fileReadSeveral: "fs_read"
      case .fileWrite: "fs_write"
      case .fileStat: "fs_fstat"
      case .fileTruncate: "fs_ftruncate"
      case .fileSync: "fs_fsync"
      case .fileTimes: "fs_futime"
      default: "fs_\(self)"
      }
    }

    func start(
      _ loop: EventLoop, _ path: String, _ file: File, _ done: @escaping (Result<Void, UVError>) -> Void
    ) -> PendingRequest {
      func end<T>(_ result: Result<T, UVError>) { done(result.map { _ in }) }
      let files = loop.files
      return switch self {
      case .stat: files.stat(path, end)
      case .lstat: files.lstat(path, end)
      case .open: files.open(path + "-new", .readWrite, options: .create, end)
      case .utime: files.utime(path, accessTime: .zero, modificationTime: .zero, end)
      case .lutime: files.lutime(path, accessTime: .zero, modificationTime: .zero, end)
      case .fileRead: file.read(3, at: 0, end)
      case .fileReadSeveral: file.read([1, 2], at: 0, end)
      case .fileWrite: file.write("lost", at: 0, end)
      case .fileStat: file.stat(end)
      case .fileTruncate: file.truncate(to: 0, end)
      case .fileSync: file.sync(end)
      case .fileTimes: file.utime(accessTime: .zero, modificationTime: .zero, end)
      case .access: files.access(path, .exists, end)
      case .chmod: files.chmod(path, [], end)
      case .mkdir: files.mkdir(path + "-new", end)
      case .rename: files.rename(path, to: path + "-new", end)
      case .unlink: files.unlink(path, end)
      case .opendir: files.opendir("/", end)
      case .mkstemp: files.mkstemp(path + "XXXXXX", end)
      case .scandir: files.scandir("/", end)
      case .readlink: files.readlink(path, end)
      case .realpath: files.realpath(path, end)
      case .statfs: files.statfs(path, end)
      }
    }
  }

  private nonisolated(nonsending) func use(_ before: Before, _ loop: EventLoop, _ path: String, _ file: File)
    async throws
  {
    switch before {
    case .nothing: break
    case .close: try await loop.files.open(path, .readWrite).value.close().value
    case .directoryClose: try await loop.files.opendir("/").value.close().value
    case .success: _ = try await loop.files.stat(path).value
    case .failure: _ = try? await loop.files.stat("/nowhere").value
    case .cancellation:
      loop.files.stat(path) { _ in }.cancel()
      try await loop.settle { loop.statistics.requests == 0 }
    case .read: _ = try await file.read(4, at: 0).value
    case .write: try await file.write("text", at: 0).value
    case .vector: _ = try await file.read([1, 1], at: 0).value
    case .times: try await file.utime(accessTime: .seconds(1), modificationTime: .seconds(1)).value
    }
  }

  @Test(arguments: Operation.allCases)
  func `What waits for a thread is cancelled at once and isn't done, whatever was done before`(
    operation: Operation
  )
    async throws
  {
    for before in Before.allCases {
      try await withLoopAndDirectory { loop, directory in
        let path = "\(directory)/f"
        try await loop.files.writeFile(path, "text").value
        let file = try await loop.files.open(path, .readWrite).value
        let times = try await file.stat().value.modificationTime
        try await use(before, loop, path, file)
        let log = Log<UVError>()
        try await withBusyPool(of: loop) {
          // With a second one of the same kind behind it.
          let pending = (0..<2).map { _ in
            operation.start(loop, path, file) { if let error = $0.error { log.append(error) } }
          }
          for request in pending { request.cancel() }
          #expect(log.values == [])
          try await loop.until { log.values.count == 2 }
          for request in pending { request.cancel() }
        }
        try await loop.until { loop.statistics.requests == 0 }
        #expect(log.values.count == 2, "\(operation) after \(before)")
        for error in log.values {
          #expect(
            error.code == .cancelled && error.operation == operation.name,
            "\(operation) after \(before): \(error)")
        }
        // Nothing of it was done.
        let status = try await file.stat().value
        let isTouched = [.write, .times].contains(before)
        #expect(status.size == 4 && status.links == 1 && (isTouched || status.modificationTime == times))
        #expect(try await loop.files.scandir(directory).value.map(\.name.string) == ["f"])
        try await file.close().value
      }
    }
  }

  @Test(arguments: [Operation.stat, .open, .utime, .fileRead, .fileStat, .mkdir, .scandir])
  func `A task that waits for one is cancelled, and so is one with a limit, after a close`(
    operation: Operation
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "text").value
      let file = try await loop.files.open(path, .readWrite).value
      let request = Request<Void>(loop, operation: "outer") { operation.start(loop, path, file, $0) }
      try await use(.close, loop, path, file)
      try await withBusyPool(of: loop) {
        let task = loop.spawn { () async throws(UVError) in try await request.value }
        try await loop.settle()
        task.cancel()
        await expectError(.cancelled, of: try await task.value)
        await expectError(.timedOut, of: try await request.timeout(after: .milliseconds(1)).value)
      }
      try await loop.until { loop.statistics.requests == 0 }
      #expect(try await loop.files.scandir(directory).value.count == 1)
      try await file.close().value
    }
  }

  @Test(arguments: Before.allCases)
  func `An operation that isn't cancelled does its own work with its own arguments, whatever was done before`(
    before: Before
  )
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "text").value
      let file = try await loop.files.open(path, .readWrite).value
      for _ in 0..<2 {
        try await use(before, loop, path, file)
        #expect(try await loop.files.stat(path).value.size == 4)
        try await use(before, loop, path, file)
        #expect(try await file.read(2, at: 1).value == "ex")
        try await use(before, loop, path, file)
        // At the file's own position, after the last use with a position.
        #expect(try await file.read([1, 3], at: 0).value == ["t", "ext"])
        try await use(before, loop, path, file)
        let new = try await loop.files.open(
          "\(directory)/g", .writeOnly, options: .create, permissions: .ownerRead
        ).value
        #expect(try await new.stat().value.permissions == .ownerRead)
        try await new.write("new").value
        try await use(before, loop, path, file)
        try await new.write(" end").value
        #expect(try await new.stat().value.size == 7)
        try await new.close().value
        try await use(before, loop, path, file)
        await expectError(.noSuchFile, of: try await loop.files.stat("\(directory)/./none").value)
        try await use(before, loop, path, file)
        try await loop.files.utime(path, accessTime: .seconds(3), modificationTime: .seconds(4)).value
        #expect(try await file.stat().value.modificationTime == .seconds(4))
        try await loop.files.unlink("\(directory)/g").value
      }
      try await file.close().value
    }
  }
}
