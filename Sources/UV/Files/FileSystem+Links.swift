import CUV

extension FileSystem {
  /// Gives a file a second name on the same file system.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - newPath: The second name.
  ///
  /// The corresponding libuv function is `uv_fs_link`.
  public func link(_ path: some PathConvertible, to newPath: some PathConvertible) -> Request<Void> {
    Request(of: loop) { link(path, to: newPath, $0) }
  }

  /// Gives a file a second name on the same file system; see ``link(_:to:)``.
  ///
  /// The corresponding libuv function is `uv_fs_link`.
  @discardableResult
  public func link(
    _ path: some PathConvertible, to newPath: some PathConvertible, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_link", path: path, .void(done)) { path, request, done in
      newPath.withPathBytes { newPath in
        newPath.map { uv_fs_link(loop.raw, request, path, $0, done) } ?? UV_EINVAL.rawValue
      }
    }
  }

  /// Makes a symbolic link.
  ///
  /// - Parameters:
  ///   - target: The path that the link holds. It need not exist.
  ///   - path: Where to make the link.
  ///
  /// The corresponding libuv function is `uv_fs_symlink`.
  public func symlink(to target: some PathConvertible, at path: some PathConvertible) -> Request<Void> {
    Request(of: loop) { symlink(to: target, at: path, $0) }
  }

  /// Makes a symbolic link; see ``symlink(to:at:)``.
  ///
  /// The corresponding libuv function is `uv_fs_symlink`.
  @discardableResult
  public func symlink(
    to target: some PathConvertible, at path: some PathConvertible, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_symlink", path: path, .void(done)) { path, request, done in
      target.withPathBytes { target in
        target.map { uv_fs_symlink(loop.raw, request, $0, path, 0, done) } ?? UV_EINVAL.rawValue
      }
    }
  }

  /// The path that a symbolic link holds.
  ///
  /// - Parameter path: The link.
  /// - Returns: A request for the path. It fails with `invalidArgument` if `path` isn't a link.
  ///
  /// The corresponding libuv function is `uv_fs_readlink`.
  public func readlink(_ path: some PathConvertible) -> Request<FilePath> {
    Request(of: loop) { readlink(path, $0) }
  }

  /// The path that a symbolic link holds; see ``readlink(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_readlink`.
  @discardableResult
  public func readlink(
    _ path: some PathConvertible, _ done: @escaping Completion<FilePath>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_readlink", path: path, .converting({ $0.resultPath }, done)) {
      uv_fs_readlink(loop.raw, $1, $0, $2)
    }
  }

  /// The absolute path of a file, without symbolic links, `.` and `..`.
  ///
  /// - Parameter path: A file that exists.
  ///
  /// The corresponding libuv function is `uv_fs_realpath`.
  public func realpath(_ path: some PathConvertible) -> Request<FilePath> {
    Request(of: loop) { realpath(path, $0) }
  }

  /// The absolute path of a file, without symbolic links; see ``realpath(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_realpath`.
  @discardableResult
  public func realpath(
    _ path: some PathConvertible, _ done: @escaping Completion<FilePath>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_realpath", path: path, .converting({ $0.resultPath }, done)) {
      uv_fs_realpath(loop.raw, $1, $0, $2)
    }
  }
}

extension FileRequest {
  /// The path with which libuv answers. It is freed with the request.
  fileprivate var resultPath: FilePath {
    FilePath(platformString: request.pointee.ptr.assumingMemoryBound(to: CChar.self))
  }
}
