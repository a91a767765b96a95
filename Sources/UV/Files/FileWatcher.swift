import CUV

/// A source of changes to a file or in a directory, as the system reports them.
///
/// The watcher begins to watch when it is made. It keeps the changes that happen while nobody asks: one event
/// for each name, with all that happened to it. If there are more than 1,024 names, it keeps one event
/// without a name instead.
///
/// On Linux the system reports changes in the directory itself, but not in the directories below it;
/// ``FileSystem/watch(_:recursive:)`` can watch these, too.
///
/// When the watched file or directory is removed or renamed, or another one takes its name, the watcher
/// delivers this as an event with the kind `rename`. Then it ends with the error `noSuchFile`, because no
/// further change at the path would be reported. To follow a file that programs replace, watch its directory.
///
/// The watcher keeps its loop running only while somebody asks, and while it looks through directories.
///
/// The corresponding libuv type is `uv_fs_event_t`.
public final class FileWatcher: SourceHandle<FileEvent> {
  static let limit = 1024

  private(set) var unasked = UnaskedFileEvents()
  /// The file itself; nil if the system doesn't identify it.
  private let watched: FileIdentity?
  /// The error with which the source ends, once all events that it has kept are delivered: the file is no longer
  /// at its path, or can't be watched any more.
  var ending: UVError?
  #if os(Linux) || os(Android)
  /// The directory and all below it, which libuv doesn't watch. libuv's handle then is a poll.
  private(set) var tree: WatchedTree?
  private(set) var treePath: FilePath?
  var isPolling = false
  /// Whether the tree has to wait until something has been asked for.
  var isTreeWaiting = false

  var poll: UnsafeMutablePointer<uv_poll_t> {
    block.raw.assumingMemoryBound(to: uv_poll_t.self)
  }
  #endif

  private var handle: UnsafeMutablePointer<uv_fs_event_t> {
    block.raw.assumingMemoryBound(to: uv_fs_event_t.self)
  }

  init(loop: EventLoop, path: some PathConvertible, recursive: Bool) throws(UVError) {
    watched = path.withPathBytes(FileIdentity.init)
    var flags: UInt32 = 0
    #if os(Linux) || os(Android)
    if recursive, let descriptors = try TreeDescriptors(path) {
      treePath = path.withPathBytes { FilePath(platformString: $0!) }
      try super.init(loop: loop, "fs_event", size: MemoryLayout<uv_poll_t>.size, "fs_event_init") {
        uv_poll_init(loop.raw, $0.assumingMemoryBound(to: uv_poll_t.self), descriptors.events)
      }
      block.keep(TreeKeeper(self, descriptors))
      take(role: .tree)
      tree = try WatchedTree(self, descriptors)
      keepLoopRunning(whileAsked: false)
      tree?.readEvents()
      return
    }
    #else
    if recursive { flags = UInt32(UV_FS_EVENT_RECURSIVE.rawValue) }
    #endif
    try super.init(loop: loop, "fs_event", size: MemoryLayout<uv_fs_event_t>.size, "fs_event_init") {
      uv_fs_event_init(loop.raw, $0.assumingMemoryBound(to: uv_fs_event_t.self))
    }
    isActiveWhileIdle()
    try check(path, "fs_event_start") { uv_fs_event_start(handle, fileChanged, $0, flags) }
    keepLoopRunning(whileAsked: false)
    if recursive { unasked.add(FileEvent(kinds: .complete, name: nil)) }
  }

  /// The path that is watched.
  ///
  /// - Throws: `badDescriptor` if the watcher is closed.
  ///
  /// The corresponding libuv function is `uv_fs_event_getpath`.
  public func path() throws(UVError) -> FilePath {
    try checkOpen("fs_event_getpath")
    #if os(Linux) || os(Android)
    if let treePath { return treePath }
    #endif
    return try UV.path("fs_event_getpath") { uv_fs_event_getpath(handle, $0, $1) }
  }

  override func startProducing() { keepLoopRunning(whileAsked: true) }

  override func stopProducing() { keepLoopRunning(whileAsked: false) }

  override var hasPending: Bool { !unasked.isEmpty || ending != nil }

  override func deliverPending() {
    while source.hasDemand, let event = unasked.popFirst() { source.deliver(event) }
    #if os(Linux) || os(Android)
    if isTreeWaiting, !isFull {
      isTreeWaiting = false
      tree?.readEvents()
    }
    #endif
    finishIfDone()
  }

  /// Ends the source, if nothing more would come.
  func finishIfDone() {
    guard let error = ending, unasked.isEmpty, source.hasDemand else { return }
    finish(error)
  }

  private func finish(_ error: UVError) {
    source.finish(error)
    keepLoopRunning(whileAsked: false)
    letGo(.source)
  }

  func report(_ event: FileEvent, limit: Int) {
    if unasked.isEmpty, source.hasDemand { return source.deliver(event) }
    unasked.add(event)
    if unasked.count > limit { unasked.collapse() }
  }

  fileprivate func receive(_ kinds: Int32, _ name: UnsafePointer<CChar>?, _ code: Int32) {
    produce {
      if ending != nil { return }
      if code < 0 { return finish(failure(code, "fs_event")) }
      let event = FileEvent(
        kinds: FileEvent.Kinds(rawValue: kinds), name: name.map { FilePath(platformString: $0) })
      report(event, limit: Self.limit)
      if event.kinds.contains(.rename), isAboutItself(event) { endUnlessAtPath() }
    }
  }

  /// Does the work of a callback from libuv.
  func produce(_ body: () -> Void) {
    loop.callback {
      body()
      // A reader that asks for the next event in this callback gets those that are kept.
      if !unasked.isEmpty { source.pauseIfUnwanted() }
    }
    source.pauseIfUnwanted()
    // The receiver of an event may have asked for the next one meanwhile.
    if ending != nil, source.hasDemand { loop.callback { finishIfDone() } }
  }
}

extension FileWatcher {
  /// Whether an event has the name of what is watched. One of a file in a directory may have it, too.
  private func isAboutItself(_ event: FileEvent) -> Bool {
    guard let name = event.name, !name.isEmpty else { return true }
    return name.lastComponent == (try? path())?.lastComponent
  }

  /// Ends the source if something else is at the path, or nothing.
  func endUnlessAtPath() {
    guard let watched, let path = try? path(), path.withPathBytes(FileIdentity.init) != watched else {
      return
    }
    ending = UVError(.noSuchFile, operation: operation, subject: path.string)
  }
}

/// Distinguishes a file from a later one of the same name, even if that got the same number.
private struct FileIdentity: Equatable {
  private let device, inode: UInt64
  private let creationTime: Duration

  /// The file at a path; nil if there is none.
  init?(_ path: UnsafePointer<CChar>?) {
    guard let path else { return nil }
    var request = uv_fs_t()
    defer { uv_fs_req_cleanup(&request) }
    // One system call, when a watcher is made and when what it watches has been renamed.
    guard uv_fs_stat(nil, &request, path, nil) == 0 else { return nil }
    let status = FileStatus(request.statbuf)
    (device, inode, creationTime) = (status.device, status.inode, status.creationTime)
  }
}

extension FileSystem {
  /// Watches a file, or a directory: by itself, or with all below it.
  ///
  /// ```swift
  /// let watcher = try loop.files.watch("Sources", recursive: true)
  /// for try await event in watcher {
  ///   if event.kinds.contains(.complete) { /* read the whole tree now */ }
  ///   if let path = event.name { print("look at \(path)") }
  /// }
  /// ```
  ///
  /// A directory that is watched with all below it is looked through first. When all of it is watched, an event of the
  /// kind `complete` comes. Read the tree then: later changes are reported. On Linux,
  ///
  /// - a directory that has come is reported together with each file and directory in it. One that is renamed in the
  ///   tree is reported by its two names alone: what is in it has come along;
  /// - symbolic links aren't followed;
  /// - a directory that can't be read is reported with its error, and is left out;
  /// - if the program asks for nothing, the watcher keeps about 1,024 events and leaves the others to the system. If
  ///   the system drops some, this is reported, and then each place that may differ; see ``FileEvent/Kinds/overflow``.
  ///
  /// - Parameters:
  ///   - path: The file or directory, which must exist.
  ///   - recursive: Whether a directory is watched with all below it. A file isn't watched otherwise for that.
  /// - Throws: `noSuchFile`, `permissionDenied`, `noSpace` or `tooManyOpenFiles` if the system allows no more
  ///   watches, and `invalidArgument` for a path with a NUL in it. The source ends with `noSpace`, `tooManyOpenFiles` or
  ///   `outOfMemory` if that happens below the directory, where each directory needs a watch.
  ///
  /// The corresponding libuv functions are `uv_fs_event_init` and `uv_fs_event_start`, with the flag
  /// `UV_FS_EVENT_RECURSIVE`, which libuv ignores on Linux.
  public func watch(_ path: some PathConvertible, recursive: Bool = false) throws(UVError) -> FileWatcher {
    try FileWatcher(loop: loop, path: path, recursive: recursive)
  }
}

private func fileChanged(
  _ handle: UnsafeMutablePointer<uv_fs_event_t>?, _ name: UnsafePointer<CChar>?, _ kinds: Int32, _ code: Int32
) {
  idleOwner(of: handle!, as: FileWatcher.self)?.receive(kinds, name, code)
}
