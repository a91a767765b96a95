import CUV

/// The type of a file or of a directory entry.
///
/// The corresponding libuv type is `uv_dirent_type_t`.
public enum FileType: Hashable, Sendable {
  /// A file with bytes.
  case regular
  /// A directory, which has entries.
  case directory
  /// A symbolic link, which names another file.
  case symbolicLink
  /// A pipe that has a name, and gives what came first.
  case fifo
  /// A socket of the Unix domain.
  case socket
  /// A device that is read and written byte by byte, such as a terminal.
  case characterDevice
  /// A device that is read and written in blocks, such as a disk.
  case blockDevice
  /// The file system doesn't say the type, or the file is of a type that isn't listed here.
  case unknown

  init(mode: UInt64) {
    switch mode & UInt64(S_IFMT) {
    case UInt64(S_IFREG): self = .regular
    case UInt64(S_IFDIR): self = .directory
    case UInt64(S_IFLNK): self = .symbolicLink
    case UInt64(S_IFIFO): self = .fifo
    case UInt64(S_IFSOCK): self = .socket
    case UInt64(S_IFCHR): self = .characterDevice
    case UInt64(S_IFBLK): self = .blockDevice
    default: self = .unknown
    }
  }

  init(_ type: uv_dirent_type_t) {
    switch type {
    case UV_DIRENT_FILE: self = .regular
    case UV_DIRENT_DIR: self = .directory
    case UV_DIRENT_LINK: self = .symbolicLink
    case UV_DIRENT_FIFO: self = .fifo
    case UV_DIRENT_SOCKET: self = .socket
    case UV_DIRENT_CHAR: self = .characterDevice
    case UV_DIRENT_BLOCK: self = .blockDevice
    default: self = .unknown
    }
  }
}

/// The size, times, owner and permissions of a file.
///
/// The corresponding libuv type is `uv_stat_t`.
public struct FileStatus: Hashable, Sendable {
  /// The type of the file.
  public var type: FileType
  /// The permissions of the file: who may read, write and execute it.
  public var permissions: FilePermissions
  /// The size of the file in bytes.
  public var size: Int64
  /// The device that holds the file. ``device`` and ``inode`` together identify a file.
  public var device: UInt64
  /// The file's number on its device; see ``device``.
  public var inode: UInt64
  /// How many names the file has.
  public var links: UInt64
  /// The number of the user who owns the file.
  public var owner: UInt32
  /// The number of the group that owns the file.
  public var group: UInt32
  /// How much room the file takes on its device, in units of 512 bytes.
  public var blocks: UInt64
  /// When the file was last read, as the time since the beginning of 1970 (UTC).
  public var accessTime: Duration
  /// When the file's contents last changed, as the time since the beginning of 1970 (UTC).
  public var modificationTime: Duration
  /// When the file's contents or its status last changed, as the time since the beginning of 1970 (UTC).
  public var changeTime: Duration
  /// When the file was made, as the time since the beginning of 1970 (UTC). Some file systems don't store it.
  public var creationTime: Duration

  init(_ status: uv_stat_t) {
    type = FileType(mode: status.st_mode)
    permissions = FilePermissions(rawValue: CModeT(truncatingIfNeeded: status.st_mode & 0o7777))
    size = Int64(status.st_size)
    device = status.st_dev
    inode = status.st_ino
    links = status.st_nlink
    owner = UInt32(truncatingIfNeeded: status.st_uid)
    group = UInt32(truncatingIfNeeded: status.st_gid)
    blocks = status.st_blocks
    accessTime = Duration(status.st_atim)
    modificationTime = Duration(status.st_mtim)
    changeTime = Duration(status.st_ctim)
    creationTime = Duration(status.st_birthtim)
  }

  private typealias CModeT = CInterop.Mode
}

extension Duration {
  fileprivate init(_ time: uv_timespec_t) {
    // In one step: each of two durations would be multiplied, and their sum be checked, in 128 bits.
    self.init(attoseconds: (Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec)) * 1_000_000_000)
  }
}

/// One entry of a directory.
///
/// The corresponding libuv type is `uv_dirent_t`.
public struct DirectoryEntry: Hashable, Sendable {
  /// The entry's name, byte for byte.
  public var name: FilePath.Component
  /// The entry's type; `unknown` if the file system doesn't say.
  public var type: FileType
}

/// A source that looks at a file's status again and again, and delivers each change. Use it on file systems
/// that don't report changes, such as those of other machines.
///
/// The watcher begins to look when it is made; the file need not exist. Changes that happen while nobody asks
/// are kept as one change, from the last status that was delivered to the present one.
///
/// The watcher keeps its loop running only while somebody asks.
///
/// The corresponding libuv type is `uv_fs_poll_t`.
public final class FileStatusWatcher: SourceHandle<FileStatusChange> {
  private var unasked: FileStatusChange?

  private var handle: UnsafeMutablePointer<uv_fs_poll_t> {
    block.raw.assumingMemoryBound(to: uv_fs_poll_t.self)
  }

  init(loop: EventLoop, path: some PathConvertible, interval: Duration) throws(UVError) {
    guard interval > .zero, let milliseconds = UInt32(exactly: interval.milliseconds) else {
      throw UVError(.invalidArgument, operation: "fs_poll_start", subject: "every \(interval)")
    }
    try super.init(loop: loop, "fs_poll", size: MemoryLayout<uv_fs_poll_t>.size, "fs_poll_init") {
      uv_fs_poll_init(loop.raw, $0.assumingMemoryBound(to: uv_fs_poll_t.self))
    }
    isActiveWhileIdle()
    try check(path, "fs_poll_start") { uv_fs_poll_start(handle, statusChanged, $0, milliseconds) }
    keepLoopRunning(whileAsked: false)
  }

  /// The path that is watched.
  ///
  /// - Throws: `badDescriptor` if the watcher is closed.
  ///
  /// The corresponding libuv function is `uv_fs_poll_getpath`.
  public func path() throws(UVError) -> FilePath {
    try checkOpen("fs_poll_getpath")
    return try UV.path("fs_poll_getpath") { uv_fs_poll_getpath(handle, $0, $1) }
  }

  override func startProducing() { keepLoopRunning(whileAsked: true) }

  override func stopProducing() { keepLoopRunning(whileAsked: false) }

  override var hasPending: Bool { unasked != nil }

  override func deliverPending() {
    if source.hasDemand, let change = unasked.take() { source.deliver(change) }
  }

  fileprivate func receive(_ change: FileStatusChange) {
    loop.callback {
      unasked = FileStatusChange(
        previous: unasked.map(\.previous) ?? change.previous, current: change.current)
      deliverPending()
    }
    source.pauseIfUnwanted()
  }
}

extension FileSystem {
  /// Makes a watcher that looks at a file's status at intervals.
  ///
  /// - Parameters:
  ///   - path: The file or directory, which need not exist yet.
  ///   - interval: The time between looks: a millisecond or more, at most 49 days. Each look is a job for the
  ///     thread pool. A change that is undone between two looks isn't seen.
  /// - Throws: `invalidArgument` if the interval is out of range, or if the path has a NUL in it.
  ///
  /// The corresponding libuv functions are `uv_fs_poll_init` and `uv_fs_poll_start`.
  public func watchStatus(
    _ path: some PathConvertible, every interval: Duration
  ) throws(UVError) -> FileStatusWatcher {
    try FileStatusWatcher(loop: loop, path: path, interval: interval)
  }
}

private func statusChanged(
  _ handle: UnsafeMutablePointer<uv_fs_poll_t>?, _ code: Int32, _ previous: UnsafePointer<uv_stat_t>?,
  _ current: UnsafePointer<uv_stat_t>?
) {
  // libuv reports a missing file as a status of zeros.
  let known = previous!.pointee.st_mode == 0 ? nil : FileStatus(previous!.pointee)
  idleOwner(of: handle!, as: FileStatusWatcher.self)?.receive(
    FileStatusChange(
      previous: known,
      current: code < 0 ? .failure(failure(code, "fs_poll")) : .success(FileStatus(current!.pointee))))
}
