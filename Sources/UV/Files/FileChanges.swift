import CUV

/// A change that a ``FileWatcher`` has seen.
public struct FileEvent: Hashable, Sendable {
  /// Kinds of change.
  ///
  /// The corresponding libuv type is `uv_fs_event`.
  public struct Kinds: OptionSet, Hashable, Sendable {
    /// The bits of the set, as libuv defines them.
    public let rawValue: Int32
    /// Creates a set from libuv's bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A name has come or gone: a file was made, renamed or removed.
    public static let rename = Kinds(rawValue: Int32(UV_RENAME.rawValue))
    /// A file's contents or status have changed.
    public static let change = Kinds(rawValue: Int32(UV_CHANGE.rawValue))
  }

  /// The changes since the last event.
  public var kinds: Kinds
  /// The name of the file in the watched directory, or of the watched file. It is nil if the system doesn't
  /// tell the name, or if too much has happened while nobody asked. In that case look at the whole directory.
  public var name: FilePath?
}

/// A change that a ``FileStatusWatcher`` has seen.
public struct FileStatusChange: Hashable, Sendable {
  /// The status of the file before; nil if there was no file.
  public var previous: FileStatus?
  /// The status of the file now, or the error of asking for it.
  public var current: Result<FileStatus, UVError>
}
