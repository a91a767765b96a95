import CUV

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
