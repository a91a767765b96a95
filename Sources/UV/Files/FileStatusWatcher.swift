import CUV

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
