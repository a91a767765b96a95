import CUV

/// An open file on a loop.
///
/// You may drop the last reference on any thread; that closes the file, on that thread. ``close()`` closes it
/// and reports the outcome. It does so on the thread pool, or at once if the file was opened for reading
/// only, because then there is nothing to wait for. In both cases operations that are under way finish first.
///
/// Operations at an offset may run at the same time. Operations at the file's own position should not,
/// because the thread pool keeps no order.
public final class File {
  /// The loop that the file belongs to.
  public let loop: EventLoop
  private let name: FileName
  let descriptor: Int32
  private let isReadOnly: Bool
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

  /// The path with which the file was opened.
  public var path: FilePath {
    // The file was opened with these bytes, so the pointer isn't nil.
    name.withPathBytes { FilePath(platformString: $0!) }
  }

  deinit { if !isDescriptorClosed { _ = CUV.close(descriptor) } }

  // MARK: Reading and writing

  /// Reads up to `count` bytes.
  ///
  /// - Parameters:
  ///   - count: 1…1 GiB. Near the end of the file you get fewer bytes, and at the end none.
  ///   - offset: Where to read, in bytes from the file's beginning. Nil reads at the file's position and
  ///     moves it.
  /// - Returns: A request for the bytes. It fails with `isDirectory`, `badDescriptor` (the file is closed, or
  ///   not open for reading), …
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  public func read(_ count: Int, at offset: Int64? = nil) -> Request<Bytes> {
    Request(FileReading(self, at: offset), count)
  }

  /// Reads up to `count` bytes; see ``read(_:at:)-(Int,_)``.
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  @discardableResult
  public func read(_ count: Int, at offset: Int64? = nil, _ done: @escaping Completion<Bytes>)
    -> PendingRequest
  {
    read(count, at: offset, .bytes(done))
  }

  func read(_ count: Int, at offset: Int64?, _ answer: FileAnswer) -> PendingRequest {
    guard count > 0, count <= 1 << 30, (offset ?? 0) >= 0 else {
      return refuse(.invalidArgument, "fs_read", telling: answer.fail)
    }
    if isClosed { return refuse(.badDescriptor, "fs_read", telling: answer.fail) }
    return FileRequest.queue(
      CUV_FILE_READ, "fs_read", on: self, bytes: loop.fileQueue.blocks.reserve(count), offset: offset ?? -1,
      answer)
  }

  /// Writes all of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to write.
  ///   - offset: Where to write, in bytes from the file's beginning. Nil writes at the file's position and
  ///     moves it.
  /// - Returns: A request that fails with `noSpace`, `badDescriptor` (the file is closed, or not open for
  ///   writing), … If it fails, some of the bytes may have been written.
  ///
  /// The corresponding libuv function is `uv_fs_write`.
  public func write(_ bytes: Bytes, at offset: Int64? = nil) -> Request<Void> {
    Request(of: loop) { [self] in write(bytes, at: offset, $0) }
  }

  /// Writes all of `bytes`; see ``write(_:at:)-(Bytes,_)``.
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
  public func stat() -> Request<FileStatus> { Request(self) }

  /// The size, times, owner and permissions of the file; see ``stat()``.
  ///
  /// The corresponding libuv function is `uv_fs_fstat`.
  @discardableResult
  public func stat(_ done: @escaping Completion<FileStatus>) -> PendingRequest { stat(.status(done)) }

  func stat(_ answer: FileAnswer) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fstat", telling: answer.fail) }
    return FileRequest.queue(CUV_FILE_FSTAT, "fs_fstat", on: self, answer)
  }

  // MARK: Closing

  /// Closes the file once the operations that are under way have ended. Closing starts at once, even if you
  /// ignore the request. Calling this function again does nothing more.
  ///
  /// - Returns: A request that ends when the file is closed. It fails with the error that the system reports
  ///   then.
  ///
  /// The corresponding libuv function is `uv_fs_close`.
  @discardableResult
  public func close() -> Request<Void> {
    startClosing()
    return Request(of: loop) { [self] in close($0) }
  }

  /// Closes the file; see ``close()``.
  ///
  /// The corresponding libuv function is `uv_fs_close`.
  @discardableResult
  public func close(_ done: @escaping Completion<Void>) -> PendingRequest {
    startClosing()
    if let closeResult {
      notify(done, closeResult)
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
      let result: Result<Void, UVError> =
        code < 0 ? .failure(failure(code, "fs_close", description)) : .success(())
      closeResult = result
      // Callers that have waited for the operations that were under way.
      takeCloseWaiters { notify($0, result) }
    } else {
      _ = FileRequest.queue(CUV_FILE_CLOSE, "fs_close", on: self, .void({ [self] in didClose($0) }))
    }
  }

  private func didClose(_ result: Result<Void, UVError>) {
    closeResult = result
    takeCloseWaiters { $0(result) }
  }

  private func takeCloseWaiters(_ body: (@escaping Completion<Void>) -> Void) {
    guard let first = closeWaiter.take() else { return }
    let others = furtherCloseWaiters
    furtherCloseWaiters = []
    body(first)
    for done in others { body(done) }
  }

  /// Reports the end of a close in a microtask. A success needs no closure.
  private func notify(_ done: @escaping Completion<Void>, _ result: Result<Void, UVError>) {
    switch result {
    case .success: loop.complete(done, .close)
    case .failure: loop.queueMicrotask { done(result) }
    }
  }

  func beginOperation() { operations += 1 }

  func endOperation() {
    operations -= 1
    if isClosed, operations == 0 { closeDescriptor() }
  }

  func refuse<T>(_ code: UVError.Code, _ operation: String, _ done: @escaping Completion<T>)
    -> PendingRequest
  {
    refuse(code, operation, telling: { done(.failure($0)) })
  }

  private func refuse(_ code: UVError.Code, _ operation: String, telling fail: @escaping (UVError) -> Void)
    -> PendingRequest
  {
    let error = UVError(code, operation: operation, subject: description)
    loop.answer { fail(error) }
    return PendingRequest()
  }
}

extension File: CustomStringConvertible {
  /// The path with which the file was opened.
  public var description: String { path.string }
}

/// The work of `file.stat()`.
extension File: SharedWork {
  @usableFromInline
  package func start(_ argument: Int, _ done: GenericCompletion<FileStatus>) -> PendingRequest {
    stat(.requestedStatus(done))
  }
}

/// The work of `file.read(_:at:)`.
final class FileReading: SharedWork {
  private let file: File
  private let offset: Int64?

  init(_ file: File, at offset: Int64?) { (self.file, self.offset) = (file, offset) }

  var loop: EventLoop { file.loop }

  func start(_ count: Int, _ done: GenericCompletion<Bytes>) -> PendingRequest {
    file.read(count, at: offset, .requestedBytes(done))
  }
}
