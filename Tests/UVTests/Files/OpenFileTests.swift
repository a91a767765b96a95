import Foundation
import Testing
import UV
import UVTestSupport

/// Each operation on each kind of open file.
@Suite struct OpenFileTests {
  /// What is open, and how.
  enum Opened: String, CaseIterable {
    case regular, empty, sparse, readOnly, writeOnly, null, zero, full, process, directory, fifo, closed

    fileprivate nonisolated(nonsending) func open(
      _ loop: EventLoop, in directory: String
    ) async throws -> File {
      let kind: FileKind =
        switch self {
        case .regular, .readOnly, .writeOnly, .closed: .regular
        default: FileKind(rawValue: rawValue)!
        }
      let path = try kind.make(in: directory)
      switch self {
      case .readOnly, .process, .directory: return try await loop.files.open(path).value
      case .writeOnly: return try await loop.files.open(path, .writeOnly).value
      case .fifo: return try await loop.files.open(path, .readWrite, options: .nonBlocking).value
      case .closed:
        let file = try await loop.files.open(path, .readWrite).value
        try await file.close().value
        return file
      default: return try await loop.files.open(path, .readWrite).value
      }
    }

    fileprivate var isWritable: Bool { ![.readOnly, .process, .directory].contains(self) }
    fileprivate var isDevice: Bool { [.null, .zero, .full].contains(self) }
    /// Whether it belongs to the system, which a test leaves as it is.
    fileprivate var isTheSystems: Bool { isDevice || self == .process }
  }

  enum Operation: String, CaseIterable {
    case read, readAt, readParts, write, writeAt, writeParts, stat, sync, dataSync, truncate, chmod, chown
    case utime, close

    /// What is expected: "ok", the name of an error, or nil for a cell of the table that is left out.
    fileprivate func expectation(of file: Opened) -> String? {
      // To close a file again does nothing.
      if file == .closed { return self == .close ? "ok" : "EBADF" }
      switch self {
      case .read, .readAt, .readParts:
        if file == .directory { return "EISDIR" }
        if file == .writeOnly { return "EBADF" }
        return file == .fifo ? self == .readAt ? "ESPIPE" : "EAGAIN" : "ok"
      case .write, .writeAt, .writeParts:
        // Linux looks first whether there are places in it.
        if file == .process, self == .writeAt { return "ESPIPE" }
        if !file.isWritable { return "EBADF" }
        return file == .full ? "ENOSPC" : file == .fifo && self == .writeAt ? "ESPIPE" : "ok"
      case .stat, .close: return "ok"
      case .sync, .dataSync: return file.isTheSystems || file == .fifo ? "EINVAL" : "ok"
      case .truncate: return file.isTheSystems || file == .fifo || !file.isWritable ? "EINVAL" : "ok"
      case .chmod, .chown, .utime: return file.isTheSystems ? nil : "ok"
      }
    }

    fileprivate nonisolated(nonsending) func run(on file: File) async throws(UVError) {
      switch self {
      case .read: _ = try await file.read(4).value
      case .readAt: _ = try await file.read(4, at: 0).value
      case .readParts: _ = try await file.read([1, 2]).value
      case .write: try await file.write("text").value
      case .writeAt: try await file.write("text", at: 0).value
      case .writeParts: try await file.write(["te", "xt"]).value
      case .stat: _ = try await file.stat().value
      case .sync: try await file.sync().value
      case .dataSync: try await file.dataSync().value
      case .truncate: try await file.truncate(to: 2).value
      case .chmod: try await file.chmod(.ownerReadWrite).value
      case .chown: try await file.chown(owner: geteuid(), group: getegid()).value
      case .utime: try await file.utime(accessTime: .seconds(1), modificationTime: .seconds(2)).value
      case .close: try await file.close().value
      }
    }
  }

  @Test(
    "Each operation on each kind of open file ends as the model says",
    .onTheMachine("mkfifo and devices"), arguments: Operation.allCases)
  func each(_ operation: Operation) async throws {
    for kind in Opened.allCases {
      guard let expected = operation.expectation(of: kind) else { continue }
      try await withTemporaryDirectory { directory in
        let found = try await withLoop { loop in
          let file = try await kind.open(loop, in: directory)
          var result = "ok"
          do throws(UVError) { try await operation.run(on: file) } catch { result = error.name }
          if kind != .closed, operation != .close { try await file.close().value }
          return result
        }
        #expect(found == expected, "\(operation) on \(kind)")
      }
    }
  }
}

/// A disk that has no room. It is a file system in memory, which root can mount.
@Suite(.serialized, .onTheMachine("a file system in memory"), .enabled(if: geteuid() == 0))
struct FullDiskTests {
  private static let old: Bytes = "old"
  private static let long = Bytes(repeating: 1, count: 1 << 20)

  @Test("What has no room fails with ENOSPC, leaves no part of a copy, and keeps what there was")
  func full() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      let (disk, big) = (directory + "/disk", directory + "/big")
      try await files.mkdir(disk).value
      let mount = try await loop.processes.run("mount", ["-t", "tmpfs", "-o", "size=64k", "uv-test", disk])
        .value
      // A container may forbid it.
      guard mount.terminationStatus.isSuccess else {
        return print("full disk: not tried, mount says \(mount.standardError)")
      }
      try await files.writeFile(big, Self.long).value
      try await files.writeFile(disk + "/old", Self.old).value

      await expectError(
        .noSpace, of: try await files.writeFile(disk + "/old", Self.long, atomically: true).value)
      #expect(try await files.readFile(disk + "/old").value == Self.old)
      await expectError(.noSpace, of: try await files.copyfile(big, to: disk + "/copy").value)
      #expect(try await files.scandir(disk).value.map(\.name) == ["old"])

      await expectError(.noSpace, of: try await files.writeFile(disk + "/plain", Self.long).value)
      let file = try await files.open(disk + "/open", .readWrite, options: .create).value
      await expectError(.noSpace, of: try await file.write(Self.long).value)
      await expectError(.noSpace, of: try await file.write([Self.long, Self.long]).value)
      try await file.close().value
      // Room again.
      try await files.unlink(disk + "/plain").value
      try await files.unlink(disk + "/open").value
      try await files.writeFile(disk + "/old", "new", atomically: true).value
      #expect(try await files.readFile(disk + "/old").value == "new")
      let end = try await loop.processes.run("umount", [disk]).value
      #expect(end.terminationStatus.isSuccess, "\(end.standardError)")
    }
  }
}
