import CUV

extension FileSystem {
  /// Whether this process may use a file so.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: What is to be allowed; `.exists`, the default, asks for the file alone.
  /// - Returns: A request that succeeds if it may, and fails with `permissionDenied` or `noSuchFile` if not.
  ///
  /// The corresponding libuv function is `uv_fs_access`.
  public func access(_ path: some PathConvertible, _ mode: FileAccess = .exists) -> Request<Void> {
    Request(loop) { access(path, mode, $0) }
  }

  /// Whether this process may use a file so; see ``access(_:_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_access`.
  @discardableResult
  public func access(
    _ path: some PathConvertible, _ mode: FileAccess = .exists, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_access", path: path, .void(done)) {
      uv_fs_access(loop.raw, $1, $0, mode.rawValue, $2)
    }
  }

  /// Sets who may do what with a file.
  ///
  /// The corresponding libuv function is `uv_fs_chmod`.
  public func chmod(_ path: some PathConvertible, _ permissions: FilePermissions) -> Request<Void> {
    Request(loop) { chmod(path, permissions, $0) }
  }

  /// Sets who may do what with a file; see ``chmod(_:_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_chmod`.
  @discardableResult
  public func chmod(
    _ path: some PathConvertible, _ permissions: FilePermissions, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_chmod", path: path, .void(done)) {
      uv_fs_chmod(loop.raw, $1, $0, Int32(truncatingIfNeeded: permissions.rawValue), $2)
    }
  }

  /// Gives a file to another user or group, a symbolic link followed.
  ///
  /// The corresponding libuv function is `uv_fs_chown`.
  public func chown(_ path: some PathConvertible, owner: UInt32, group: UInt32) -> Request<Void> {
    Request(loop) { chown(path, owner: owner, group: group, $0) }
  }

  /// The same with a callback; see ``chown(_:owner:group:)``.
  ///
  /// The corresponding libuv function is `uv_fs_chown`.
  @discardableResult
  public func chown(
    _ path: some PathConvertible, owner: UInt32, group: UInt32, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_chown", path: path, .void(done)) {
      uv_fs_chown(loop.raw, $1, $0, owner, group, $2)
    }
  }

  /// Gives a file, or a symbolic link itself, to another user or group.
  ///
  /// The corresponding libuv function is `uv_fs_lchown`.
  public func lchown(_ path: some PathConvertible, owner: UInt32, group: UInt32) -> Request<Void> {
    Request(loop) { lchown(path, owner: owner, group: group, $0) }
  }

  /// The same with a callback; see ``lchown(_:owner:group:)``.
  ///
  /// The corresponding libuv function is `uv_fs_lchown`.
  @discardableResult
  public func lchown(
    _ path: some PathConvertible, owner: UInt32, group: UInt32, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_lchown", path: path, .void(done)) {
      uv_fs_lchown(loop.raw, $1, $0, owner, group, $2)
    }
  }

  /// Sets when a file was last read and changed, a symbolic link followed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - accessTime: The time since the beginning of 1970 (UTC).
  ///   - modificationTime: The time since the beginning of 1970 (UTC).
  ///
  /// The corresponding libuv function is `uv_fs_utime`.
  public func utime(_ path: some PathConvertible, accessTime: Duration, modificationTime: Duration)
    -> Request<Void>
  {
    Request(loop) { utime(path, accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// The same with a callback; see ``utime(_:accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_utime`.
  @discardableResult
  public func utime(
    _ path: some PathConvertible, accessTime: Duration, modificationTime: Duration,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_utime", path: path, .void(done)) {
      uv_fs_utime(loop.raw, $1, $0, accessTime.inSeconds, modificationTime.inSeconds, $2)
    }
  }

  /// Sets when a file, or a symbolic link itself, was last read and changed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - accessTime: The time since the beginning of 1970 (UTC).
  ///   - modificationTime: The time since the beginning of 1970 (UTC).
  ///
  /// The corresponding libuv function is `uv_fs_lutime`.
  public func lutime(_ path: some PathConvertible, accessTime: Duration, modificationTime: Duration)
    -> Request<Void>
  {
    Request(loop) { lutime(path, accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// The same with a callback; see ``lutime(_:accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_lutime`.
  @discardableResult
  public func lutime(
    _ path: some PathConvertible, accessTime: Duration, modificationTime: Duration,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_lutime", path: path, .void(done)) {
      uv_fs_lutime(loop.raw, $1, $0, accessTime.inSeconds, modificationTime.inSeconds, $2)
    }
  }

  /// The size of the file system that a path is on, and how much of it is free.
  ///
  /// The corresponding libuv function is `uv_fs_statfs`.
  public func statfs(_ path: some PathConvertible) -> Request<FileSystemStatus> {
    Request(loop) { statfs(path, $0) }
  }

  /// The size of the file system that a path is on; see ``statfs(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_statfs`.
  @discardableResult
  public func statfs(
    _ path: some PathConvertible, _ done: @escaping Completion<FileSystemStatus>
  ) -> PendingRequest {
    FileRequest.start(
      loop, "fs_statfs", path: path,
      .converting({ FileSystemStatus($0.request.pointee.ptr.load(as: uv_statfs_t.self)) }, done)
    ) {
      uv_fs_statfs(loop.raw, $1, $0, $2)
    }
  }
}
