import CUV

/// An open directory: a source that delivers some of its entries at a time. Use it for directories that are
/// too large to be listed whole.
///
/// ```swift
/// let directory = try await loop.files.opendir("/var/spool").value
/// for try await entries in directory {
///   for entry in entries { print(entry.name) }
/// }
/// ```
///
/// The directory is read only when somebody asks. It is closed when its end is reached, when it fails, when
/// you call ``close()``, and when the last reference to it goes.
///
/// Its elements are some entries at a time, in the file system's order, without `.` and `..`. After
/// ``ReadableSource/stop()`` entries that are being read go to the next reader.
///
/// The corresponding libuv type is `uv_dir_t`, and the function that reads is `uv_fs_readdir`.
public final class Directory: ReadableSource<[DirectoryEntry]>, SourceDriver {
  private let name: any PathConvertible
  let source: WaiterQueue<[DirectoryEntry]>
  /// Nil once the directory is closed or closing.
  private var stream: DirectoryStream?
  private var isReading = false
  /// Entries that were read for a reader that has gone meanwhile.
  private var unasked: [DirectoryEntry]?
  private var isClosed = false
  private var closeResult: Result<Void, UVError>?
  private var closeWaiters: [Completion<Void>] = []

  init(loop: EventLoop, path: some PathConvertible, stream: DirectoryStream) {
    name = path
    self.stream = stream
    source = WaiterQueue()
    super.init(loop)
    source.driver = self
  }

  /// The path with which the directory was opened.
  public var path: FilePath {
    // The directory was opened with these bytes, so the pointer isn't nil.
    name.withPathBytes { FilePath(platformString: $0!) }
  }

  // MARK: Reading

  var operation: String { "fs_readdir" }

  override var line: (waiters: WaiterQueue<[DirectoryEntry]>, driver: any SourceDriver) { (source, self) }

  func resume() {
    if let entries = unasked.take() {
      return loop.queueMicrotask { [self] in deliver(entries) }
    }
    if !isReading { read() }
  }

  func pause() {}

  private func read() {
    guard let stream, !loop.isClosed else {
      let code = loop.isClosed ? UVError.Code.loopClosed : .badDescriptor
      let error = UVError(code, operation: "fs_readdir", subject: path.string)
      return loop.queueMicrotask { [self] in source.finish(error) }
    }
    isReading = true
    // The request holds the stream and this object until libuv is done with both. It refers to the directory
    // until it has been cleaned up. A reader may close the directory, so it gets its answer only after that.
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

  // MARK: Closing

  /// Closes the directory. Closing starts at once, even if you ignore the request. Calling this function
  /// again does nothing more. A request that waits for entries fails with `cancelled`; nil would mean that
  /// there are no more.
  ///
  /// - Returns: A request that ends when the directory is closed. It fails with the error that the system
  ///   reports then.
  ///
  /// The corresponding libuv function is `uv_fs_closedir`.
  @discardableResult
  public func close() -> Request<Void> {
    startClosing()
    return Request(of: loop) { [self] in close($0) }
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
      // The stream closes itself when it is released.
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
  /// Opens a directory, to read some of its entries at a time. To get all entries at once, and sorted, use
  /// ``scandir(_:)``.
  ///
  /// - Parameters:
  ///   - path: A directory.
  ///   - batchSize: How many entries to read at a time, 1 or more.
  /// - Returns: A request for the open directory. It fails with `noSuchFile`, `notDirectory`, …, or with
  ///   `invalidArgument` for a batch size below 1.
  ///
  /// The corresponding libuv function is `uv_fs_opendir`.
  public func opendir(_ path: some PathConvertible, batchSize: Int = 64) -> Request<Directory> {
    Request(of: loop) { opendir(path, batchSize: batchSize, $0) }
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
      loop.answer { done(.failure(error)) }
      return PendingRequest()
    }
    return FileRequest.start(
      loop, "fs_opendir", path: path,
      .converting(
        { request in
          // Sound: libuv's request holds this type after it has opened a directory.
          let raw = request.request.pointee.ptr.assumingMemoryBound(to: uv_dir_t.self)
          return Directory(
            loop: request.loop, path: path, stream: DirectoryStream(raw, batchSize: batchSize))
        }, done)
    ) { uv_fs_opendir(loop.raw, $1, $0, $2) }
  }
}

/// libuv's open directory, and the memory that its entries are read into. Everything that reads from it
/// retains it, so that it is closed when the last of them is done.
final class DirectoryStream {
  let raw: UnsafeMutablePointer<uv_dir_t>
  private let entries: UnsafeMutablePointer<uv_dirent_t>
  private var isClosed = false

  init(_ raw: UnsafeMutablePointer<uv_dir_t>, batchSize: Int) {
    self.raw = raw
    entries = .allocate(capacity: batchSize)
    entries.initialize(repeating: uv_dirent_t(), count: batchSize)
    raw.pointee.dirents = entries
    raw.pointee.nentries = batchSize
  }

  deinit {
    if !isClosed {
      // Without a callback libuv closes it at once, on the calling thread, and doesn't need the loop.
      let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
      uv_fs_closedir(nil, request, raw, nil)
      uv_fs_req_cleanup(request)
      request.deallocate()
    }
    entries.deallocate()
  }

  /// The first `count` entries of the last read.
  func take(_ count: Int) -> [DirectoryEntry] {
    (0..<count).compactMap { index in
      guard let name = FilePath.Component(platformString: entries[index].name) else { return nil }
      return DirectoryEntry(name: name, type: FileType(entries[index].type))
    }
  }

  /// Notes that libuv has closed the directory, or will close it.
  func didClose() { isClosed = true }
}
