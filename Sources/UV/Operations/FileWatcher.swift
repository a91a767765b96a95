import CUV

/// A source that tells of changes to a file, or in a directory, as the system reports them.
///
/// Watching begins when the watcher is made. What happens while nobody asks is kept: once for each name, with all
/// that happened to it, and for more than 1,024 names as one event without a name.
///
/// On Linux the system reports what happens right in a directory, not below it, and a file that is replaced by
/// another of its name is no longer watched; so watch the directory that it is in.
public final class FileWatcher: Handle, EventSource, SourceDriver {
  /// What the source delivers.
  public typealias Element = FileEvent
  /// What ends it before its time.
  public typealias Failure = UVError

  private static let limit = 1024

  let source: SourceCore<FileEvent>
  /// What nobody has asked for yet, in the order in which it first happened.
  private var unasked: [FileEvent] = []
  private var indices: [FilePath?: Int] = [:]

  private var handle: UnsafeMutablePointer<uv_fs_event_t> {
    block.raw.assumingMemoryBound(to: uv_fs_event_t.self)
  }

  init(loop: EventLoop, path: some PathConvertible) throws(UVError) {
    source = SourceCore(loop: loop, operation: "fs_event")
    try super.init(loop: loop, size: MemoryLayout<uv_fs_event_t>.size, "fs_event_init") { raw in
      uv_fs_event_init(loop.raw, raw.assumingMemoryBound(to: uv_fs_event_t.self))
    }
    source.driver = self
    try check(path, "fs_event_start") { uv_fs_event_start(handle, fileChanged, $0, 0) }
    // Whoever waits keeps the loop running; a watcher that nobody asks does not.
    uv_unref(block.handle)
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

  /// Asks for the next event; nil never comes. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_event_start`.
  @discardableResult
  public func next(_ done: @escaping Completion<FileEvent?>) -> PendingRequest { source.next(done) }

  /// Calls `handler` with each event.
  ///
  /// The corresponding libuv function is `uv_fs_event_start`.
  public func start(_ handler: @escaping Completion<FileEvent?>) { source.start(handler) }

  /// Stops calling the handler; what happens is kept until somebody asks, or the watcher is closed.
  public func stop() { source.stop() }

  func resume() {
    guard beginWatching(source, "fs_event") else { return }
    // Not from here: whoever asks is still on the stack.
    if !unasked.isEmpty { loop.queueMicrotask { [self] in deliverUnasked() } }
  }

  func pause() { endWatching() }

  private func deliverUnasked() {
    while source.hasDemand, !unasked.isEmpty {
      let events = unasked
      unasked = []
      indices = [:]
      for event in events { receive(event) }
    }
    source.pauseIfUnwanted()
  }

  fileprivate func receive(_ event: FileEvent) {
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

  fileprivate func fail(_ error: UVError) { source.finish(error) }

  override func didClose() {
    source.finish(UVError(.cancelled, operation: "fs_event"))
    super.didClose()
  }

  /// Waits for one event after the other until the watcher is closed.
  public func makeAsyncIterator() -> SourceIterator<Element> { SourceIterator(source: source) }
}

extension FileSystem {
  /// Watches a file, or what is right in a directory.
  ///
  /// - Throws: `noSuchFile`, `permissionDenied`, `noSpace` or `tooManyOpenFiles` where the system allows no more
  ///   watches, `invalidArgument` for a path with a NUL in it.
  ///
  /// The corresponding libuv functions are `uv_fs_event_init` and `uv_fs_event_start`.
  public func watch(_ path: some PathConvertible) throws(UVError) -> FileWatcher {
    try FileWatcher(loop: loop, path: path)
  }
}

private func fileChanged(
  _ handle: UnsafeMutablePointer<uv_fs_event_t>?, _ name: UnsafePointer<CChar>?, _ kinds: Int32, _ code: Int32
) {
  let watcher = owner(of: handle!, as: FileWatcher.self)
  let loop = watcher.loop
  loop.beginCallback()
  if code < 0 {
    watcher.fail(failure(code, "fs_event"))
  } else {
    let kinds = FileEvent.Kinds(rawValue: kinds)
    watcher.receive(FileEvent(kinds: kinds, name: name.map { FilePath(platformString: $0) }))
  }
  loop.endCallback()
  watcher.source.pauseIfUnwanted()
}
