import CUV

/// A source of changes to a file or in a directory, as the system reports them.
///
/// The watcher begins to watch when it is made. It keeps the changes that happen while nobody asks: one event
/// for each name, with all that happened to it. If there are more than 1,024 names, it keeps one event
/// without a name instead.
///
/// On Linux the system reports changes in the directory itself, but not in the directories below it.
///
/// When the watched file or directory is removed or renamed, or another one takes its name, the watcher
/// delivers this as an event with the kind `rename`. Then it ends with the error `noSuchFile`, because no
/// further change at the path would be reported. To follow a file that programs replace, watch its directory.
///
/// The watcher keeps its loop running only while somebody asks.
///
/// The corresponding libuv type is `uv_fs_event_t`.
public final class FileWatcher: SourceHandle<FileEvent> {
  private static let limit = 1024

  /// Events that nobody has asked for yet, in the order in which they first happened.
  private var unasked: [FileEvent] = []
  private var indices: [FilePath?: Int] = [:]
  /// The file itself; nil if the system doesn't identify it.
  private let watched: FileIdentity?
  /// Whether it is no longer at its path.
  private var hasGone = false

  private var handle: UnsafeMutablePointer<uv_fs_event_t> {
    block.raw.assumingMemoryBound(to: uv_fs_event_t.self)
  }

  init(loop: EventLoop, path: some PathConvertible) throws(UVError) {
    watched = path.withPathBytes(FileIdentity.init)
    try super.init(loop: loop, "fs_event", size: MemoryLayout<uv_fs_event_t>.size, "fs_event_init") {
      uv_fs_event_init(loop.raw, $0.assumingMemoryBound(to: uv_fs_event_t.self))
    }
    isActiveWhileIdle()
    try check(path, "fs_event_start") { uv_fs_event_start(handle, fileChanged, $0, 0) }
    keepLoopRunning(whileAsked: false)
  }

  /// The path that is watched.
  ///
  /// - Throws: `badDescriptor` if the watcher is closed.
  ///
  /// The corresponding libuv function is `uv_fs_event_getpath`.
  public func path() throws(UVError) -> FilePath {
    try checkOpen("fs_event_getpath")
    return try UV.path("fs_event_getpath") { uv_fs_event_getpath(handle, $0, $1) }
  }

  override func startProducing() { keepLoopRunning(whileAsked: true) }

  override func stopProducing() { keepLoopRunning(whileAsked: false) }

  override var hasPending: Bool { !unasked.isEmpty || hasGone }

  override func deliverPending() {
    while source.hasDemand, !unasked.isEmpty {
      let events = unasked
      unasked = []
      indices = [:]
      for event in events { tell(event) }
    }
    if hasGone, unasked.isEmpty, source.hasDemand { endWithPath() }
  }

  /// Ends the source, because nothing more would come.
  private func endWithPath() {
    finish(UVError(.noSuchFile, operation: operation, subject: (try? path())?.string))
  }

  private func finish(_ error: UVError) {
    source.finish(error)
    keepLoopRunning(whileAsked: false)
    letGo(.source)
  }

  private func tell(_ event: FileEvent) {
    if unasked.isEmpty, source.hasDemand { return source.deliver(event) }
    if let index = indices[event.name] {
      unasked[index].kinds.formUnion(event.kinds)
    } else if unasked.count < Self.limit {
      indices[event.name] = unasked.count
      unasked.append(event)
    } else {
      let kinds = unasked.reduce(event.kinds) { $0.union($1.kinds) }
      unasked = [FileEvent(kinds: kinds, name: nil)]
      indices = [nil: 0]
    }
  }

  fileprivate func receive(_ kinds: Int32, _ name: UnsafePointer<CChar>?, _ code: Int32) {
    loop.callback {
      if hasGone { return }
      if code < 0 { return finish(failure(code, "fs_event")) }
      let event = FileEvent(
        kinds: FileEvent.Kinds(rawValue: kinds), name: name.map { FilePath(platformString: $0) })
      tell(event)
      hasGone = event.kinds.contains(.rename) && isAboutItself(event) && !isAtPath
    }
    source.pauseIfUnwanted()
    // The receiver of the event may have asked for the next one meanwhile.
    if hasGone, unasked.isEmpty, source.hasDemand { loop.callback { endWithPath() } }
  }
}

extension FileWatcher {
  /// Whether an event has the name of what is watched. One of a file in a directory may have it, too.
  private func isAboutItself(_ event: FileEvent) -> Bool {
    guard let name = event.name, !name.isEmpty else { return true }
    return name.lastComponent == (try? path())?.lastComponent
  }

  private var isAtPath: Bool {
    guard let watched, let path = try? path() else { return true }
    return path.withPathBytes(FileIdentity.init) == watched
  }
}

/// Tells a file from a later one of the same name, even if that got the same number.
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
  /// Watches a file, or a directory without those below it.
  ///
  /// - Parameter path: The file or directory, which must exist.
  /// - Throws: `noSuchFile`, `permissionDenied`, `noSpace` or `tooManyOpenFiles` if the system allows no more
  ///   watches, and `invalidArgument` for a path with a NUL in it.
  ///
  /// The corresponding libuv functions are `uv_fs_event_init` and `uv_fs_event_start`.
  public func watch(_ path: some PathConvertible) throws(UVError) -> FileWatcher {
    try FileWatcher(loop: loop, path: path)
  }
}

private func fileChanged(
  _ handle: UnsafeMutablePointer<uv_fs_event_t>?, _ name: UnsafePointer<CChar>?, _ kinds: Int32, _ code: Int32
) {
  idleOwner(of: handle!, as: FileWatcher.self)?.receive(kinds, name, code)
}
