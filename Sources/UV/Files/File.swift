import CUV

/// An open file on a loop.
///
/// Dropping the last reference closes it, on the thread that does so; ``close()`` closes it and tells the outcome: on
/// the thread pool, or at once if it was opened for reading only, when there is nothing to wait for. Operations under
/// way are finished first either way.
///
/// Operations at an offset may run side by side. Those at the file's own position should not: the thread pool
/// keeps no order.
public final class File {
  /// The loop that the file belongs to.
  public let loop: EventLoop
  private let name: FileName
  let descriptor: Int32
  private let isReadOnly: Bool
  // Loop-confined: exclusivity checks would cost more than the accesses.
  @exclusivity(unchecked) private var operations = 0
  @exclusivity(unchecked) private(set) var isClosed = false
  @exclusivity(unchecked) private var isDescriptorClosed = false
  @exclusivity(unchecked) private var closeWaiter: Completion<Void>?
  @exclusivity(unchecked) private var furtherCloseWaiters: [Completion<Void>] = []
  @exclusivity(unchecked) private var closeResult: Result<Void, UVError>?

  init(loop: EventLoop, name: FileName, descriptor: Int32, isReadOnly: Bool = false) {
    self.loop = loop
    self.name = name
    self.descriptor = descriptor
    self.isReadOnly = isReadOnly
  }

  /// The path that the file was opened by.
  public var path: FilePath {
    // It has been opened by these bytes, so there are some.
    name.withPathBytes { FilePath(platformString: $0!) }
  }

  deinit { if !isDescriptorClosed { _ = CUV.close(descriptor) } }

  // MARK: Reading and writing

  /// Reads up to `count` bytes.
  ///
  /// - Parameters:
  ///   - count: 1…1 GiB; the end of the file may give fewer, and gives none once it is reached.
  ///   - offset: Where to read; nil reads at the file's position and moves it.
  /// - Returns: A request that fails with `isDirectory`, `badDescriptor` (closed, or not open for reading), …
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  public func read(_ count: Int, at offset: Int64? = nil) -> Request<Bytes> {
    Request(loop) { [self] in read(count, at: offset, $0) }
  }

  /// Reads up to `count` bytes; see ``read(_:at:)``.
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  @discardableResult
  public func read(_ count: Int, at offset: Int64? = nil, _ done: @escaping Completion<Bytes>)
    -> PendingRequest
  {
    guard count > 0, count <= 1 << 30, (offset ?? 0) >= 0 else {
      return refuse(.invalidArgument, "fs_read", done)
    }
    if isClosed { return refuse(.badDescriptor, "fs_read", done) }
    let storage = ByteStorage.create(capacity: count)
    let room = Bytes(storage: storage, start: UnsafePointer(storage.base), count: count)
    return FileRequest.queue(
      CUV_FILE_READ, "fs_read", on: self, bytes: room, offset: offset ?? -1, .bytes(done))
  }

  /// Writes all of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: What to write.
  ///   - offset: Where to write; nil writes at the file's position and moves it.
  /// - Returns: A request that fails with `noSpace`, `badDescriptor` (closed, or not open for writing), …; some of
  ///   the bytes may have been written then.
  ///
  /// The corresponding libuv function is `uv_fs_write`.
  public func write(_ bytes: Bytes, at offset: Int64? = nil) -> Request<Void> {
    Request(loop) { [self] in write(bytes, at: offset, $0) }
  }

  /// Writes all of `bytes`; see ``write(_:at:)``.
  ///
  /// The corresponding libuv function is `uv_fs_write`.
  @discardableResult
  public func write(
    _ bytes: Bytes, at offset: Int64? = nil, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if (offset ?? 0) < 0 { return refuse(.invalidArgument, "fs_write", done) }
    if isClosed { return refuse(.badDescriptor, "fs_write", done) }
    return FileRequest.queue(
      CUV_FILE_WRITE, "fs_write", on: self, bytes: bytes, offset: offset ?? -1, .void(done))
  }

  /// The size, times, owner and permissions of the file.
  ///
  /// The corresponding libuv function is `uv_fs_fstat`.
  public func stat() -> Request<FileStatus> { Request(loop) { [self] in stat($0) } }

  /// The size, times, owner and permissions of the file; see ``stat()``.
  ///
  /// The corresponding libuv function is `uv_fs_fstat`.
  @discardableResult
  public func stat(_ done: @escaping Completion<FileStatus>) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fstat", done) }
    return FileRequest.queue(CUV_FILE_FSTAT, "fs_fstat", on: self, .status(done))
  }

  // MARK: Closing

  /// Closes the file once the operations under way have ended. Closing starts at once, whether or not the request
  /// is used; calling it again does nothing more.
  ///
  /// - Returns: A request that ends when the file is closed, and fails with what the system says then.
  ///
  /// The corresponding libuv function is `uv_fs_close`.
  @discardableResult
  public func close() -> Request<Void> {
    startClosing()
    return Request(loop) { [self] in close($0) }
  }

  /// Closes the file; see ``close()``.
  ///
  /// The corresponding libuv function is `uv_fs_close`.
  @discardableResult
  public func close(_ done: @escaping Completion<Void>) -> PendingRequest {
    startClosing()
    if let closeResult {
      loop.queueMicrotask { done(closeResult) }
    } else if closeWaiter == nil {
      closeWaiter = done
    } else {
      furtherCloseWaiters.append(done)
    }
    return PendingRequest()
  }

  private func startClosing() {
    guard !isClosed else { return }
    isClosed = true
    if operations == 0 { closeDescriptor() }
  }

  private func closeDescriptor() {
    guard !isDescriptorClosed else { return }
    isDescriptorClosed = true
    if isReadOnly || loop.isClosed {
      // Nothing is left to be written, so there is nothing to wait for.
      let code = cuv_close(descriptor)
      loop.queueMicrotask { [self] in
        didClose(code < 0 ? .failure(failure(code, "fs_close", description)) : .success(()))
      }
    } else {
      _ = FileRequest.queue(CUV_FILE_CLOSE, "fs_close", on: self, .void({ [self] in didClose($0) }))
    }
  }

  private func didClose(_ result: Result<Void, UVError>) {
    closeResult = result
    closeWaiter.take()?(result)
    let others = furtherCloseWaiters
    furtherCloseWaiters = []
    for done in others { done(result) }
  }

  func beginOperation() { operations += 1 }

  func endOperation() {
    operations -= 1
    if isClosed, operations == 0 { closeDescriptor() }
  }

  func refuse<T>(_ code: UVError.Code, _ operation: String, _ done: @escaping Completion<T>)
    -> PendingRequest
  {
    let error = UVError(code, operation: operation, subject: description)
    loop.queueMicrotask { done(.failure(error)) }
    return PendingRequest()
  }
}

extension File: CustomStringConvertible {
  /// The path that the file was opened by.
  public var description: String { path.string }
}
