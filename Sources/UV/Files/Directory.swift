import CUV

/// An open directory: a source of its entries, some at a time, for directories that are too large to be listed whole.
///
/// ```swift
/// let directory = try await loop.files.opendir("/var/spool").value
/// for try await entries in directory {
///   for entry in entries { print(entry.name) }
/// }
/// ```
///
/// Nothing is read that nobody has asked for. The directory is closed at its end, by an error, by ``close()``, and
/// when the last reference goes.
public final class Directory: EventSource, SourceDriver {
  /// The elements of the source: entries in the file system's order, without `.` and `..`.
  public typealias Element = [DirectoryEntry]
  /// The error that ends the source early.
  public typealias Failure = UVError

  /// The loop that the directory belongs to.
  public let loop: EventLoop
  private let name: any PathConvertible
  let source: SourceCore<[DirectoryEntry]>
  /// Nil once the directory is closed or closing.
  private var stream: DirectoryStream?
  private var isReading = false
  /// Read for somebody who has gone meanwhile.
  private var unasked: [DirectoryEntry]?
  private var isClosed = false
  private var closeResult: Result<Void, UVError>?
  private var closeWaiters: [Completion<Void>] = []

  init(loop: EventLoop, path: some PathConvertible, stream: DirectoryStream) {
    self.loop = loop
    name = path
    self.stream = stream
    source = SourceCore(loop: loop, operation: "fs_readdir")
    source.driver = self
  }

  /// The path that the directory was opened by.
  public var path: FilePath {
    // It has been opened by these bytes, so there are some.
    name.withPathBytes { FilePath(platformString: $0!) }
  }

  // MARK: Reading

  /// Asks for the next entries; nil at the end. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_readdir`.
  @discardableResult
  public func next(_ done: @escaping Completion<[DirectoryEntry]?>) -> PendingRequest {
    source.next(done, from: self)
  }

  /// As ``next(_:)``, for an object that waits.
  @discardableResult
  public func next(for receiver: ElementReceiver<[DirectoryEntry]>) -> PendingRequest {
    source.next(for: receiver, from: self)
  }

  /// Calls `handler` with entries until there are no more, then with nil.
  ///
  /// The corresponding libuv function is `uv_fs_readdir`.
  public func start(_ handler: @escaping Completion<[DirectoryEntry]?>) { source.start(handler, from: self) }

  /// Stops reading; what has been read meanwhile is for whoever asks next.
  public func stop() { source.stop() }

  func resume() {
    if let entries = unasked.take() {
      return loop.queueMicrotask { [self] in deliver(entries) }
    }
    if !isReading { read() }
  }

  func pause() {}

  private func read() {
    guard let stream else {
      let error = UVError(.badDescriptor, operation: "fs_readdir", subject: path.string)
      return loop.queueMicrotask { [self] in source.finish(error) }
    }
    isReading = true
    // The request holds the stream and this object until libuv is done with both. Until it has been cleaned up it
    // refers to the directory, which must not be closed by what is told here.
    _ = FileRequest.start(
      loop, "fs_readdir",
      .converting({ stream.take($0.request.pointee.result) }) { [self] result in
        loop.queueMicrotask { self.didRead(result) }
      }
    ) { uv_fs_readdir(loop.raw, $0, stream.raw, $1) }
  }

  private func didRead(_ result: Result<[DirectoryEntry], UVError>) {
    isReading = false
    switch result {
    case .success where isClosed:
      source.finish(UVError(.cancelled, operation: "fs_readdir", subject: path.string))
    case .success(let entries) where entries.isEmpty:
      startClosing()
      source.finish()
    case .success(let entries): deliver(entries)
    case .failure(let error):
      startClosing()
      source.finish(UVError(error.code, operation: error.operation, subject: path.string))
    }
    if isClosed { closeStream() }
  }

  private func deliver(_ entries: [DirectoryEntry]) {
    guard source.hasDemand else {
      unasked = (unasked ?? []) + entries
      return source.pauseIfUnwanted()
    }
    source.deliver(entries)
    if source.hasDemand { resume() } else { source.pauseIfUnwanted() }
  }

  /// Reads to the end.
  public func makeAsyncIterator() -> SourceIterator<Element> { SourceIterator(source, of: self) }

  // MARK: Closing

  /// Closes the directory. Closing starts at once, whether or not the request is used; calling it again does nothing
  /// more. A request that waits for entries fails with `cancelled`; nil would say that there are no more.
  ///
  /// - Returns: A request that ends when the directory is closed, and fails with what the system says then.
  ///
  /// The corresponding libuv function is `uv_fs_closedir`.
  @discardableResult
  public func close() -> Request<Void> {
    startClosing()
    return Request(loop) { [self] in close($0) }
  }

  /// Closes the directory; see ``close()``.
  ///
  /// The corresponding libuv function is `uv_fs_closedir`.
  @discardableResult
  public func close(_ done: @escaping Completion<Void>) -> PendingRequest {
    startClosing()
    if let closeResult {
      loop.queueMicrotask { done(closeResult) }
    } else {
      closeWaiters.append(done)
    }
    return PendingRequest()
  }

  private func startClosing() {
    guard !isClosed else { return }
    isClosed = true
    unasked = nil
    if !isReading { closeStream() }
  }

  private func closeStream() {
    guard let stream = stream.take() else { return }
    if loop.isClosed {
      // The stream closes itself when nobody holds it.
      return loop.queueMicrotask { [self] in didClose(.success(())) }
    }
    stream.didClose()
    _ = FileRequest.start(
      loop, "fs_closedir", isCancellable: false, .void({ [self] in didClose($0) })
    ) { uv_fs_closedir(loop.raw, $0, stream.raw, $1) }
  }

  private func didClose(_ result: Result<Void, UVError>) {
    closeResult = result
    let waiters = closeWaiters
    closeWaiters = []
    for done in waiters { done(result) }
    source.finish(UVError(.cancelled, operation: "fs_readdir", subject: path.string))
  }
}

extension FileSystem {
  /// Opens a directory, to read its entries some at a time; ``scandir(_:)`` gives them all at once, and sorted.
  ///
  /// - Parameters:
  ///   - path: A directory.
  ///   - batchSize: How many entries are read at a time, 1 or more.
  /// - Returns: A request that fails with `noSuchFile`, `notDirectory`, …, or `invalidArgument` for a size below 1.
  ///
  /// The corresponding libuv function is `uv_fs_opendir`.
  public func opendir(_ path: some PathConvertible, batchSize: Int = 64) -> Request<Directory> {
    Request(loop) { opendir(path, batchSize: batchSize, $0) }
  }

  /// Opens a directory; see ``opendir(_:batchSize:)``.
  ///
  /// The corresponding libuv function is `uv_fs_opendir`.
  @discardableResult
  public func opendir(
    _ path: some PathConvertible, batchSize: Int = 64, _ done: @escaping Completion<Directory>
  ) -> PendingRequest {
    guard 1...(1 << 20) ~= batchSize else {
      let error = UVError(.invalidArgument, operation: "fs_opendir", subject: "batch size \(batchSize)")
      loop.queueMicrotask { done(.failure(error)) }
      return PendingRequest()
    }
    return FileRequest.start(
      loop, "fs_opendir", path: path,
      .converting(
        { request in
          // Sound: what libuv's request holds after it has opened a directory.
          let raw = request.request.pointee.ptr.assumingMemoryBound(to: uv_dir_t.self)
          return Directory(
            loop: request.loop, path: path, stream: DirectoryStream(raw, batchSize: batchSize))
        }, done)
    ) { uv_fs_opendir(loop.raw, $1, $0, $2) }
  }
}
