import CUV

extension FileSystem {
  /// Checks whether this process has certain rights to a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: The rights to check. `.exists`, the default, only checks that the file exists.
  /// - Returns: A request that succeeds if the process has the rights. If not, it fails with
  ///   `permissionDenied` or `noSuchFile`.
  ///
  /// The corresponding libuv function is `uv_fs_access`.
  public func access(_ path: some PathConvertible, _ mode: FileAccess = .exists) -> Request<Void> {
    Request(of: loop) { access(path, mode, $0) }
  }

  /// Checks whether this process has certain rights to a file; see ``access(_:_:)``.
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

  /// Sets a file's permissions: who may read, write and execute it. A symbolic link is followed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: The new permissions.
  ///
  /// The corresponding libuv function is `uv_fs_chmod`.
  public func chmod(_ path: some PathConvertible, _ permissions: FilePermissions) -> Request<Void> {
    Request(of: loop) { chmod(path, permissions, $0) }
  }

  /// Sets a file's permissions; see ``chmod(_:_:)``.
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

  /// Gives a file to another user and group. A symbolic link is followed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - owner: The user's number; `.max` leaves the owner as it is.
  ///   - group: The group's number; `.max` leaves the group as it is.
  ///
  /// The corresponding libuv function is `uv_fs_chown`.
  public func chown(_ path: some PathConvertible, owner: UInt32, group: UInt32) -> Request<Void> {
    Request(of: loop) { chown(path, owner: owner, group: group, $0) }
  }

  /// Gives a file to another user and group; see ``chown(_:owner:group:)``.
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

  /// Gives a file, or a symbolic link itself, to another user and group.
  ///
  /// - Parameters:
  ///   - path: The file or link.
  ///   - owner: The user's number; `.max` leaves the owner as it is.
  ///   - group: The group's number; `.max` leaves the group as it is.
  ///
  /// The corresponding libuv function is `uv_fs_lchown`.
  public func lchown(_ path: some PathConvertible, owner: UInt32, group: UInt32) -> Request<Void> {
    Request(of: loop) { lchown(path, owner: owner, group: group, $0) }
  }

  /// Gives a file, or a symbolic link itself, to another user and group; see ``lchown(_:owner:group:)``.
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

  /// Sets the times at which a file was last read and changed. A symbolic link is followed.
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
    Request(of: loop) { utime(path, accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// Sets the times at which a file was last read and changed; see ``utime(_:accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_utime`.
  @discardableResult
  public func utime(
    _ path: some PathConvertible, accessTime: Duration, modificationTime: Duration,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    path.withPathBytes {
      FileRequest.queue(
        CUV_FILE_UTIME, loop, "fs_utime", path: $0, times: (accessTime.timespec, modificationTime.timespec),
        .void(done))
    }
  }

  /// Sets the times at which a file, or a symbolic link itself, was last read and changed.
  ///
  /// - Parameters:
  ///   - path: The file or link.
  ///   - accessTime: The time since the beginning of 1970 (UTC).
  ///   - modificationTime: The time since the beginning of 1970 (UTC).
  ///
  /// The corresponding libuv function is `uv_fs_lutime`.
  public func lutime(_ path: some PathConvertible, accessTime: Duration, modificationTime: Duration)
    -> Request<Void>
  {
    Request(of: loop) { lutime(path, accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// Sets the times at which a file, or a symbolic link itself, was last read and changed; see
  /// ``lutime(_:accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_lutime`.
  @discardableResult
  public func lutime(
    _ path: some PathConvertible, accessTime: Duration, modificationTime: Duration,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    path.withPathBytes {
      FileRequest.queue(
        CUV_FILE_LUTIME, loop, "fs_lutime", path: $0, times: (accessTime.timespec, modificationTime.timespec),
        .void(done))
    }
  }

  /// The size of the file system that a path is on, and how much of it is free.
  ///
  /// The corresponding libuv function is `uv_fs_statfs`.
  public func statfs(_ path: some PathConvertible) -> Request<FileSystemStatus> {
    Request(of: loop) { statfs(path, $0) }
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
