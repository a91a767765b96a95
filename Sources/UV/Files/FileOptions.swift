import CUV

/// The rights that `FileSystem.access` asks for.
public struct FileAccess: OptionSet, Hashable, Sendable {
  /// The bits of the set, as the system defines them.
  public let rawValue: Int32
  /// Creates a set from the system's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The file exists.
  public static let exists: FileAccess = []
  /// This process may read the file.
  public static let read = FileAccess(rawValue: R_OK)
  /// This process may write the file.
  public static let write = FileAccess(rawValue: W_OK)
  /// This process may execute the file, or enter it if it is a directory.
  public static let execute = FileAccess(rawValue: X_OK)
}

/// Options for copying a file.
public struct CopyOptions: OptionSet, Hashable, Sendable {
  /// The bits of the set, as libuv defines them.
  public let rawValue: Int32
  /// Creates a set from libuv's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `fileExists` instead of replacing a file.
  public static let exclusive = CopyOptions(rawValue: UV_FS_COPYFILE_EXCL)
  /// Shares the original's blocks if the file system can; otherwise copies them.
  public static let clone = CopyOptions(rawValue: UV_FS_COPYFILE_FICLONE)
  /// Shares the original's blocks, and fails with `notSupported` if the file system can't.
  public static let cloneOrFail = CopyOptions(rawValue: UV_FS_COPYFILE_FICLONE_FORCE)
}

/// The size of a file system, and how much of it is free.
///
/// The corresponding libuv type is `uv_statfs_t`.
public struct FileSystemStatus: Hashable, Sendable {
  /// The system's number for the kind of file system.
  public var type: UInt64
  /// The size of a block in bytes.
  public var blockSize: UInt64
  /// How many blocks there are in all.
  public var blocks: UInt64
  /// How many blocks are free.
  public var freeBlocks: UInt64
  /// How many blocks are free to users without privileges.
  public var availableBlocks: UInt64
  /// How many files there can be in all.
  public var files: UInt64
  /// How many more files there can be.
  public var freeFiles: UInt64

  init(_ status: uv_statfs_t) {
    type = status.f_type
    blockSize = status.f_bsize
    blocks = status.f_blocks
    freeBlocks = status.f_bfree
    availableBlocks = status.f_bavail
    files = status.f_files
    freeFiles = status.f_ffree
  }
}

/// The name of an open file, in the form in which it was given. Most names are strings or paths, which need
/// no box.
@usableFromInline
enum FileName {
  case string(String)
  case path(FilePath)
  // In a box: a protocol's value within would have each copy of a name, and of what holds one, go through a
  // function.
  indirect case other(any PathConvertible)

  @inlinable
  init(_ path: some PathConvertible) {
    switch path {
    case let string as String: self = .string(string)
    case let path as FilePath: self = .path(path)
    default: self = .other(path)
    }
  }

  /// Calls `body` with the path's bytes, or with nil if there is a NUL inside.
  func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T {
    switch self {
    case .string(let string): string.withPathBytes(body)
    case .path(let path): path.withPathBytes(body)
    case .other(let path): path.withPathBytes(body)
    }
  }
}
