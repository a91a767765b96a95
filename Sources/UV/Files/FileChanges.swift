import CUV

/// What a ``FileWatcher`` has seen.
public struct FileEvent: Hashable, Sendable {
  /// The kinds of change.
  public struct Kinds: OptionSet, Hashable, Sendable {
    /// libuv's value.
    public let rawValue: Int32
    /// A set from libuv's value.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A name has come or gone: something was made, renamed or removed.
    public static let rename = Kinds(rawValue: Int32(UV_RENAME.rawValue))
    /// Contents or status have changed.
    public static let change = Kinds(rawValue: Int32(UV_CHANGE.rawValue))
  }

  /// The changes since the last event.
  public var kinds: Kinds
  /// The file's name in the watched directory, or that of the watched file; nil where the system does not say, or
  /// too much has happened while nobody asked: look at all of it then.
  public var name: FilePath?
}

/// What a ``FileStatusWatcher`` has seen.
public struct FileStatusChange: Hashable, Sendable {
  /// The status of the file before; nil if there was no file.
  public var previous: FileStatus?
  /// Its status now, or the error that asking for it gave.
  public var current: Result<FileStatus, UVError>
}
