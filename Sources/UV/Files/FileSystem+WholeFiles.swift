import CUV

extension FileSystem {
  /// Reads the contents of a file, at most `maximumSize` bytes.
  ///
  /// Opening, reading and closing are one job of the thread pool. Four jobs would cost far more than the work
  /// itself.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - maximumSize: The most bytes to read. A larger file fails with `fileTooLarge`.
  /// - Returns: A request for the contents. It fails with `isDirectory` for a directory, with `invalidArgument`
  ///   for a FIFO or a socket, and otherwise with the system's error. A job that is cancelled stops reading.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func readFile(_ path: some PathConvertible, maximumSize: Int = .max - 1) -> Request<Bytes> {
    Request(of: loop) { readFile(path, maximumSize: maximumSize, $0) }
  }

  /// Reads the contents of a file; see ``readFile(_:maximumSize:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  @discardableResult
  public func readFile(
    _ path: some PathConvertible, maximumSize: Int = .max - 1, _ done: @escaping Completion<Bytes>
  ) -> PendingRequest {
    let job = WholeFileJob(loop, "read_file", path, nil) { job in
      defer { job.pointee.bytes = nil }
      let bytes = job.pointee.bytes!
      return Bytes(
        storage: .adopting(bytes), start: UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self)),
        count: job.pointee.count)
    } _: {
      done($0)
    }
    job.job.pointee.limit = min(max(maximumSize, 0), .max - 1)
    return job.start()
  }

  /// Replaces the contents of a file, or creates the file if it doesn't exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: The new contents.
  ///   - atomically: Whether to write a temporary file in the same directory first, wait until it has reached
  ///     the disk, and rename it. Then a reader sees either the old contents or the new, never a part, and a
  ///     failure leaves the old contents in place. A symbolic link stays: its target is replaced. Other names of
  ///     the file (hard links) keep the old contents.
  ///   - sync: Whether to wait until the contents and the file's name in its directory have reached the disk, so
  ///     that they outlast a loss of power. Together with `atomically`, the file then has the old contents or
  ///     the new ones whatever happens, and the new ones once the request has succeeded. The directory must be
  ///     readable.
  ///   - permissions: The permissions of a file that is created. Without `atomically`, the process's mask is
  ///     subtracted from them.
  /// - Returns: A request that ends when the contents have been written. If it is cancelled, it ends when no
  ///   thread writes any more: with `atomically` the file then has its old contents, and otherwise a part of the
  ///   new ones. If the contents had been written by then, it succeeds. It fails with `invalidArgument` for a FIFO
  ///   or a socket, and with `atomically` for everything that isn't a file.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_fsync`.
  public func writeFile(
    _ path: some PathConvertible, _ bytes: Bytes, atomically: Bool = false, sync: Bool = false,
    permissions: FilePermissions = .ownerReadWriteOthersRead
  ) -> Request<Void> {
    Request(of: loop) {
      writeFile(path, bytes, atomically: atomically, sync: sync, permissions: permissions, $0)
    }
  }

  /// Replaces the contents of a file, or creates the file; see ``writeFile(_:_:atomically:sync:permissions:)``.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_fsync`.
  @discardableResult
  public func writeFile(
    _ path: some PathConvertible, _ bytes: Bytes, atomically: Bool = false, sync: Bool = false,
    permissions: FilePermissions = .ownerReadWriteOthersRead, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let job = WholeFileJob(loop, "write_file", path, bytes) { _ in
    } _: {
      done($0)
    }
    job.job.pointee.kind = CUV_JOB_WRITE
    job.job.pointee.atomic = atomically ? 1 : 0
    job.job.pointee.sync = sync ? 1 : 0
    job.job.pointee.mode = Int32(truncatingIfNeeded: permissions.rawValue)
    return job.start()
  }
}

/// A file that is read, written or copied whole, in one job of the thread pool. The steps of the job, such as the
/// temporary file of an atomic write, are in `CModules/CUV/whole_files.c` and `copies.c`.
///
/// A job that is cancelled stops. One that writes is answered when it has removed what it wrote, and not before.
class WholeFileJob<Success>: PoolRequest<Success> {
  var job: UnsafeMutablePointer<cuv_file_job> { raw.assumingMemoryBound(to: cuv_file_job.self) }
  /// Keeps what is written alive while the pool reads it.
  private let bytes: Bytes?
  private let convert: (UnsafeMutablePointer<cuv_file_job>) -> Success

  convenience init(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, _ bytes: Bytes?,
    _ convert: @escaping (UnsafeMutablePointer<cuv_file_job>) -> Success,
    _ done: @escaping Completion<Success>
  ) {
    self.init(loop, operation, path, to: String?.none, bytes, convert, done)
  }

  init<Target: PathConvertible>(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, to target: Target?, _ bytes: Bytes?,
    _ convert: @escaping (UnsafeMutablePointer<cuv_file_job>) -> Success,
    _ done: @escaping Completion<Success>
  ) {
    self.convert = convert
    self.bytes = bytes
    super.init(loop, operation, cuv_file_job.self, done)
    job.initialize(to: cuv_file_job())
    job.pointee.path = path.withPathBytes { $0.flatMap { strdup($0) } }
    job.pointee.target = target?.withPathBytes { $0.flatMap { strdup($0) } }
    if target != nil, job.pointee.target == nil {
      free(job.pointee.path)
      job.pointee.path = nil
    }
    if let bytes {
      job.pointee.bytes = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.start))
      job.pointee.count = bytes.count
    }
    // Sound: the loop's list of requests owns it meanwhile. It is stored as its base class because a libuv
    // callback can't know the type parameter.
    cuv_req_set_data(job, Unmanaged<ActiveRequest>.passUnretained(self).toOpaque())
  }

  deinit {
    free(job.pointee.path)
    free(job.pointee.target)
    free(job.pointee.failed)
    if bytes == nil { free(job.pointee.bytes) }
  }

  override var subject: String? {
    // Where in a tree it has failed.
    if let failed = job.pointee.failed { return String(cString: failed) }
    guard let path = job.pointee.path.map({ String(cString: $0) }) else { return "a path with a NUL in it" }
    // Either may be the one that is missing.
    return job.pointee.target.map { "\(path) -> \(String(cString: $0))" } ?? path
  }

  func start() -> PendingRequest {
    submit { job.pointee.path == nil ? UV_EINVAL.rawValue : cuv_file_job_queue(loop.raw, job, didFinishJob) }
  }

  override func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    // A job that reads leaves nothing behind, and neither does one that hasn't begun.
    if job.pointee.kind == CUV_JOB_READ || uv_cancel(cuv_request(raw)) == 0 {
      _ = cuv_file_job_cancel(job)
      endCancelled()
    } else {
      // Its answer is on its way if it has done its work already.
      _ = cuv_file_job_cancel(job)
    }
  }

  override func poolDidEnd(_ code: Int32) { finish(code < 0 ? code : job.pointee.result) { convert(job) } }
}

private func didFinishJob(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  // Sound: see `init`.
  activeRequest(of: cuv_req_data(work!), as: ActiveRequest.self).poolDidEnd(code)
}

extension FileSystem {
  /// Copies a file and its permissions.
  ///
  /// - Parameters:
  ///   - path: The file to copy.
  ///   - destination: The copy's path. A file at this path is replaced, unless the options say otherwise.
  ///   - options: Whether the copy may replace a file, and may share the original's blocks.
  /// - Returns: A request that ends when the copy is complete. If it fails or is cancelled, the file at
  ///   `destination` is removed before it ends, also if it replaced another. A copy that is complete when it is
  ///   cancelled stays, and the request succeeds. It fails with `isDirectory` for a directory, and with
  ///   `invalidArgument` for a FIFO or a socket.
  ///
  /// The corresponding libuv function is `uv_fs_copyfile`; the copy is made by a job of `uv_queue_work`.
  public func copyfile(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = []
  ) -> Request<Void> {
    Request(of: loop) { copyfile(path, to: destination, options: options, $0) }
  }

  /// Copies a file and its permissions; see ``copyfile(_:to:options:)``.
  ///
  /// The corresponding libuv function is `uv_fs_copyfile`.
  @discardableResult
  public func copyfile(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = [],
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let job = WholeFileJob(loop, "fs_copyfile", path, to: destination, nil) { _ in
    } _: {
      done($0)
    }
    job.job.pointee.kind = CUV_JOB_COPY
    job.job.pointee.mode = options.rawValue
    return job.start()
  }

  /// Makes a file with a name that no other file has, and opens it.
  ///
  /// - Parameter template: The file's path. Its last six characters must be `XXXXXX`; they are replaced.
  /// - Returns: A request for the file, open for reading and writing. Its ``File/path`` has the name.
  ///
  /// The corresponding libuv function is `uv_fs_mkstemp`.
  public func mkstemp(_ template: some PathConvertible) -> Request<File> {
    Request(of: loop) { mkstemp(template, $0) }
  }

  /// Makes a file with a name that no other file has, and opens it; see ``mkstemp(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_mkstemp`.
  @discardableResult
  public func mkstemp(
    _ template: some PathConvertible, _ done: @escaping Completion<File>
  ) -> PendingRequest {
    FileRequest.start(
      loop, "fs_mkstemp", path: template,
      .temporary(
        { request in
          File(
            loop: request.loop,
            name: FileName(FilePath(platformString: request.request.pointee.path)),
            descriptor: Int32(request.request.pointee.result))
        }, done, remove: { CUV.unlink($0) })
    ) {
      uv_fs_mkstemp(loop.raw, $1, $0, $2)
    }
  }
}
