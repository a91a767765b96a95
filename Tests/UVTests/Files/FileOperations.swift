import Foundation
import UV

/// The operations on a path, and a small model of what each has to say of each kind.
enum FileOperation: String, CaseIterable {
  case stat, lstat, access, statfs, realpath, readlink, scandir, opendir
  case openToRead, openToWrite, openNew, readFile, writeFile, writeAtomically, writeSynced
  case copyFrom, copyTo, chmod, utime, lutime, rename, link, symlink, mkdir, rmdir, unlink

  /// What is expected: "ok", the name of an error, or nil for a cell of the table that is left out.
  func expectation(of kind: FileKind) -> String? {
    // It is another user's, whatever its permissions say, but not for root.
    let isForbidden = kind == .unreadable && geteuid() != 0
    let following =
      switch kind.target {
      case .nothing: "ENOENT"
      case .fifo, .socket: "EINVAL"
      default: "ok"
      }
    switch self {
    case .stat, .access, .statfs, .realpath: return kind.target == .nothing ? "ENOENT" : "ok"
    case .lstat: return kind == .missing ? "ENOENT" : "ok"
    case .readlink: return kind.isLink ? "ok" : kind == .missing ? "ENOENT" : "EINVAL"
    case .scandir, .opendir:
      return kind.target == .directory ? "ok" : kind.target == .nothing ? "ENOENT" : "ENOTDIR"
    case .openToRead: return isForbidden ? "EACCES" : following
    case .openToWrite:
      if kind == .process { return nil }
      return isForbidden || kind.isOnlyRootsToWrite
        ? "EACCES" : kind.target == .directory ? "EISDIR" : following
    case .openNew: return kind == .missing ? "ok" : "EEXIST"
    case .readFile:
      if isForbidden { return "EACCES" }
      return kind.target == .directory ? "EISDIR" : kind.isEndless ? "EFBIG" : following
    case .writeFile, .writeSynced, .copyTo:
      // The directory of devices isn't waited for.
      if kind == .process || kind.isTheSystems && self == .writeSynced { return nil }
      if isForbidden || kind.isOnlyRootsToWrite { return "EACCES" }
      if kind == .full { return "ENOSPC" }
      return kind.target == .directory ? "EISDIR" : kind.target == .nothing ? "ok" : following
    case .writeAtomically:
      if kind == .process { return nil }
      if kind.target == .device { return "EINVAL" }
      return kind.target == .directory ? "EISDIR" : kind.target == .nothing ? "ok" : following
    case .copyFrom:
      if isForbidden { return "EACCES" }
      return kind.target == .directory ? "EISDIR" : kind.isEndless ? "ETIMEDOUT" : following
    case .chmod, .utime: return kind.isTheSystems ? nil : kind.target == .nothing ? "ENOENT" : "ok"
    case .lutime, .rename: return kind.isTheSystems ? nil : kind == .missing ? "ENOENT" : "ok"
    case .link:
      return kind.isTheSystems ? nil : kind == .missing ? "ENOENT" : kind == .directory ? "EPERM" : "ok"
    case .symlink, .mkdir: return kind == .missing ? "ok" : "EEXIST"
    case .rmdir:
      return kind.isTheSystems ? nil : kind == .missing ? "ENOENT" : kind == .directory ? "ok" : "ENOTDIR"
    case .unlink:
      return kind.isTheSystems ? nil : kind == .missing ? "ENOENT" : kind == .directory ? "EISDIR" : "ok"
    }
  }

  nonisolated(nonsending) func run(
    _ loop: EventLoop, on path: FilePath, in directory: String
  ) async throws(UVError) {
    let files = loop.files
    let other = FilePath(directory + "/other")
    switch self {
    case .stat: _ = try await files.stat(path).value
    case .lstat: _ = try await files.lstat(path).value
    case .access: try await files.access(path).value
    case .statfs: _ = try await files.statfs(path).value
    case .realpath: _ = try await files.realpath(path).value
    case .readlink: _ = try await files.readlink(path).value
    case .scandir: _ = try await files.scandir(path).value
    case .opendir: for try await _ in try await files.opendir(path).value {}
    case .openToRead: try await files.open(path).value.close().value
    case .openToWrite: try await files.open(path, .writeOnly).value.close().value
    case .openNew:
      try await files.open(path, .readWrite, options: [.create, .exclusiveCreate]).value.close().value
    case .readFile: _ = try await files.readFile(path, maximumSize: 1 << 20).value
    case .writeFile: try await files.writeFile(path, FileKind.text).value
    case .writeAtomically: try await files.writeFile(path, FileKind.text, atomically: true).value
    case .writeSynced: try await files.writeFile(path, FileKind.text, sync: true).value
    case .copyFrom: try await files.copyfile(path, to: other).timeout(after: .milliseconds(200)).value
    case .copyTo:
      try await files.writeFile(other, FileKind.text).value
      try await files.copyfile(other, to: path).value
    case .chmod: try await files.chmod(path, .ownerReadWrite).value
    case .utime: try await files.utime(path, accessTime: .seconds(1), modificationTime: .seconds(2)).value
    case .lutime: try await files.lutime(path, accessTime: .seconds(1), modificationTime: .seconds(2)).value
    case .rename: try await files.rename(path, to: other).value
    case .link: try await files.link(path, to: other).value
    case .symlink: try await files.symlink(to: other, at: path).value
    case .mkdir: try await files.mkdir(path).value
    case .rmdir: try await files.rmdir(path).value
    case .unlink: try await files.unlink(path).value
    }
  }
}
