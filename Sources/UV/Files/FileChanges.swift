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
    /// The system has dropped events, because too many came before they were read. Without a name this says
    /// that it has happened in a directory that is watched with all below it. The watcher then looks through
    /// all of it, and names each file that has changed, each directory that has come or gone, and, with this
    /// kind, each directory in which names may have come or gone. ``complete`` follows.
    public static let overflow = Kinds(rawValue: 1 << 16)
    /// Every directory is watched. It comes once from a watcher of a directory and all below it, and again
    /// after each ``overflow``. Later events report all that changes after the program has read the tree now.
    public static let complete = Kinds(rawValue: 1 << 17)
  }

  /// The changes since the last event.
  public var kinds: Kinds
  /// The name of the file in the watched directory, or of the watched file. If the directory is watched with
  /// all below it, it is the path below the directory, and `.` for the directory itself.
  ///
  /// It is nil if the system doesn't say the name, or if too much has happened while nobody asked. In that
  /// case look at the whole directory.
  public var name: FilePath?
  /// The error of watching the directory of this name, such as `permissionDenied`; nil if there is none. The
  /// directory is left out, with all below it.
  public var error: UVError?
}

/// A change that a ``FileStatusWatcher`` has seen.
public struct FileStatusChange: Hashable, Sendable {
  /// The status of the file before; nil if there was no file.
  public var previous: FileStatus?
  /// The status of the file now, or the error of asking for it.
  public var current: Result<FileStatus, UVError>
}

/// Events of a ``FileWatcher`` that nobody has asked for yet, in the order in which they first happened: one for
/// each name, with all that happened to it.
struct UnaskedFileEvents {
  private var events = Queue<FileEvent>()
  private var places: [FilePath: Int] = [:]
  /// How many events have been taken; places count from the first of them.
  private var taken = 0

  var isEmpty: Bool { events.isEmpty }
  var count: Int { events.count }

  mutating func add(_ event: FileEvent) {
    if let index = index(of: event) {
      events[index].kinds.formUnion(event.kinds)
      if let error = event.error { events[index].error = error }
      return
    }
    if let name = event.name { places[name] = taken + events.count }
    events.append(event)
  }

  /// The event to which another one belongs; nil if it needs a place of its own.
  private func index(of event: FileEvent) -> Int? {
    if let name = event.name { return places[name].map { $0 - taken } }
    return events.last.map { $0.name == nil ? events.count - 1 : nil } ?? nil
  }

  mutating func popFirst() -> FileEvent? {
    guard let event = events.popFirst() else { return nil }
    taken += 1
    if let name = event.name { places[name] = nil }
    return event
  }

  /// Makes one event without a name of all of them.
  mutating func collapse() {
    let kinds = events.reduce(into: FileEvent.Kinds()) { $0.formUnion($1.kinds) }
    self = UnaskedFileEvents()
    events.append(FileEvent(kinds: kinds, name: nil))
  }
}
