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
