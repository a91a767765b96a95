import CUV

extension File {
  /// Has what was written reach the disk, with the file's status.
  ///
  /// The corresponding libuv function is `uv_fs_fsync`.
  public func sync() -> Request<Void> {
    Request(loop) { [self] in sync($0) }
  }

  /// Has what was written reach the disk, with the file's status; see ``sync()``.
  ///
  /// The corresponding libuv function is `uv_fs_fsync`.
  @discardableResult
  public func sync(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fsync", done) }
    return FileRequest.start(loop, "fs_fsync", file: self, .void(done)) {
      uv_fs_fsync(loop.raw, $0, descriptor, $1)
    }
  }

  /// Has what was written reach the disk, with as much of the file's status as reading it needs.
  ///
  /// The corresponding libuv function is `uv_fs_fdatasync`.
  public func dataSync() -> Request<Void> {
    Request(loop) { [self] in dataSync($0) }
  }

  /// The same with a callback; see ``dataSync()``.
  ///
  /// The corresponding libuv function is `uv_fs_fdatasync`.
  @discardableResult
  public func dataSync(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fdatasync", done) }
    return FileRequest.start(loop, "fs_fdatasync", file: self, .void(done)) {
      uv_fs_fdatasync(loop.raw, $0, descriptor, $1)
    }
  }

  /// Makes the file so long: what lies behind is cut off, what is missing is filled with zeros.
  ///
  /// The corresponding libuv function is `uv_fs_ftruncate`.
  public func truncate(to size: Int64) -> Request<Void> {
    Request(loop) { [self] in truncate(to: size, $0) }
  }

  /// The same with a callback; see ``truncate(to:)``.
  ///
  /// The corresponding libuv function is `uv_fs_ftruncate`.
  @discardableResult
  public func truncate(
    to size: Int64, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_ftruncate", done) }
    return FileRequest.start(loop, "fs_ftruncate", file: self, .void(done)) {
      uv_fs_ftruncate(loop.raw, $0, descriptor, size, $1)
    }
  }

  /// Sets who may do what with the file.
  ///
  /// The corresponding libuv function is `uv_fs_fchmod`.
  public func chmod(_ permissions: FilePermissions) -> Request<Void> {
    Request(loop) { [self] in chmod(permissions, $0) }
  }

  /// Sets who may do what with the file; see ``chmod(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_fchmod`.
  @discardableResult
  public func chmod(
    _ permissions: FilePermissions, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fchmod", done) }
    return FileRequest.start(loop, "fs_fchmod", file: self, .void(done)) {
      uv_fs_fchmod(loop.raw, $0, descriptor, Int32(truncatingIfNeeded: permissions.rawValue), $1)
    }
  }

  /// Gives the file to another user or group.
  ///
  /// The corresponding libuv function is `uv_fs_fchown`.
  public func chown(owner: UInt32, group: UInt32) -> Request<Void> {
    Request(loop) { [self] in chown(owner: owner, group: group, $0) }
  }

  /// Gives the file to another user or group; see ``chown(owner:group:)``.
  ///
  /// The corresponding libuv function is `uv_fs_fchown`.
  @discardableResult
  public func chown(
    owner: UInt32, group: UInt32, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fchown", done) }
    return FileRequest.start(loop, "fs_fchown", file: self, .void(done)) {
      uv_fs_fchown(loop.raw, $0, descriptor, owner, group, $1)
    }
  }

  /// Sets when the file was last read and changed.
  ///
  /// - Parameters:
  ///   - accessTime: The time since the beginning of 1970 (UTC).
  ///   - modificationTime: The time since the beginning of 1970 (UTC).
  ///
  /// The corresponding libuv function is `uv_fs_futime`.
  public func utime(accessTime: Duration, modificationTime: Duration) -> Request<Void> {
    Request(loop) { [self] in utime(accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// Sets when the file was last read and changed; see ``utime(accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_futime`.
  @discardableResult
  public func utime(
    accessTime: Duration, modificationTime: Duration, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_futime", done) }
    return FileRequest.start(loop, "fs_futime", file: self, .void(done)) {
      uv_fs_futime(loop.raw, $0, descriptor, accessTime.inSeconds, modificationTime.inSeconds, $1)
    }
  }
}
