import Synchronization

/// A directory of this process, `uvbench-<process id>`, for the files of the workloads.
struct ScratchDirectory {
  /// A file in each such directory. What has a name like these and has no such file is somebody else's.
  private static let mark = "/.uvbench-scratch"

  private static let own = Mutex<ScratchDirectory?>(nil)

  let path: String

  /// Makes the directory below `parent`, or below the usual place for temporary files.
  init(below parent: String? = nil) throws {
    let given = parent ?? ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    // It must still be found when the working directory is another.
    let parent = given.hasPrefix("/") ? given : FileManager.default.currentDirectoryPath + "/" + given
    Self.sweep(parent)
    path = parent + (parent.hasSuffix("/") ? "" : "/") + "uvbench-\(getpid())"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw UsageError("cannot make the directory \(path): \(error)")
    }
    _ = FileManager.default.createFile(atPath: path + Self.mark, contents: nil)
  }

  /// The path of one that is there until the command line ends.
  static func ownPath() throws -> String {
    try own.withLock { own in
      let directory = try own ?? ScratchDirectory()
      own = directory
      return directory.path
    }
  }

  static func removeOwn() { own.withLock { $0?.remove() } }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes what a process that was killed has left behind.
  private static func sweep(_ parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
      guard name.hasPrefix("uvbench-"), let id = pid_t(name.dropFirst(8)) else { continue }
      let path = parent + "/" + name
      if kill(id, 0) != 0, errno == ESRCH, FileManager.default.fileExists(atPath: path + mark) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
