import CUV

extension FileSystem {
  /// Copies a file and its permissions.
  ///
  /// - Parameters:
  ///   - path: The file to copy.
  ///   - destination: The copy's path. A file at this path is replaced, unless the options say otherwise.
  ///   - options: Whether the copy may replace a file, and may share the original's blocks.
  /// - Returns: A request that ends when the copy is complete. If it fails, what had been written is removed.
  ///
  /// The corresponding libuv function is `uv_fs_copyfile`.
  public func copyfile(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = []
  ) -> Request<Void> {
    Request(loop) { copyfile(path, to: destination, options: options, $0) }
  }

  /// Copies a file and its permissions; see ``copyfile(_:to:options:)``.
  ///
  /// The corresponding libuv function is `uv_fs_copyfile`.
  @discardableResult
  public func copyfile(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = [],
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_copyfile", path: path, .void(done)) { path, request, done in
      destination.withPathBytes { destination in
        destination.map { uv_fs_copyfile(loop.raw, request, path, $0, options.rawValue, done) }
          ?? UV_EINVAL.rawValue
      }
    }
  }

  /// Makes a file with a name that no other file has, and opens it.
  ///
  /// - Parameter template: The file's path. Its last six characters must be `XXXXXX`; they are replaced.
  /// - Returns: A request for the file, open for reading and writing. Its ``File/path`` tells the name.
  ///
  /// The corresponding libuv function is `uv_fs_mkstemp`.
  public func mkstemp(_ template: some PathConvertible) -> Request<File> {
    Request(loop) { mkstemp(template, $0) }
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
