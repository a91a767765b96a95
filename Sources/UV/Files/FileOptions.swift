import CUV

/// What `FileSystem.access` asks for.
public struct FileAccess: OptionSet, Hashable, Sendable {
  /// The system's value.
  public let rawValue: Int32
  /// A set from the system's value.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// That there is such a file.
  public static let exists: FileAccess = []
  /// That it may be read.
  public static let read = FileAccess(rawValue: R_OK)
  /// That it may be written.
  public static let write = FileAccess(rawValue: W_OK)
  /// That it may be executed, or entered if it is a directory.
  public static let execute = FileAccess(rawValue: X_OK)
}

/// How a file is copied.
public struct CopyOptions: OptionSet, Hashable, Sendable {
  /// libuv's value.
  public let rawValue: Int32
  /// A set from libuv's value.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `fileExists` rather than replace a file.
  public static let exclusive = CopyOptions(rawValue: UV_FS_COPYFILE_EXCL)
  /// Shares the original's blocks where the file system can.
  public static let clone = CopyOptions(rawValue: UV_FS_COPYFILE_FICLONE)
  /// Fails with `notSupported` where the file system cannot share blocks.
  public static let cloneOrFail = CopyOptions(rawValue: UV_FS_COPYFILE_FICLONE_FORCE)
}

/// The size of a file system, and how much of it is free.
///
/// The corresponding libuv type is `uv_statfs_t`.
public struct FileSystemStatus: Hashable, Sendable {
  /// The system's number for the kind of file system.
  public var type: UInt64
  /// Bytes in a block.
  public var blockSize: UInt64
  /// Blocks in all.
  public var blocks: UInt64
  /// Blocks that are free.
  public var freeBlocks: UInt64
  /// Blocks that are free to users without privileges.
  public var availableBlocks: UInt64
  /// Files that there can be.
  public var files: UInt64
  /// Files that there can still be.
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
