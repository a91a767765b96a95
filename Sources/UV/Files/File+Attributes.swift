import CUV

extension File {
  /// Waits until what was written, and the file's status, have reached the disk.
  ///
  /// - Returns: A request that ends then.
  ///
  /// The corresponding libuv function is `uv_fs_fsync`.
  public func sync() -> Request<Void> {
    Request(of: loop) { [self] in sync($0) }
  }

  /// Waits until what was written, and the file's status, have reached the disk; see ``sync()``.
  ///
  /// The corresponding libuv function is `uv_fs_fsync`.
  @discardableResult
  public func sync(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fsync", done) }
    return FileRequest.start(loop, "fs_fsync", file: self, .void(done)) {
      uv_fs_fsync(loop.raw, $0, descriptor, $1)
    }
  }

  /// Waits until what was written has reached the disk, with the part of the file's status that is needed to
  /// read it.
  ///
  /// - Returns: A request that ends then.
  ///
  /// The corresponding libuv function is `uv_fs_fdatasync`.
  public func dataSync() -> Request<Void> {
    Request(of: loop) { [self] in dataSync($0) }
  }

  /// Waits until what was written has reached the disk; see ``dataSync()``.
  ///
  /// The corresponding libuv function is `uv_fs_fdatasync`.
  @discardableResult
  public func dataSync(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_fdatasync", done) }
    return FileRequest.start(loop, "fs_fdatasync", file: self, .void(done)) {
      uv_fs_fdatasync(loop.raw, $0, descriptor, $1)
    }
  }

  /// Changes the file's size. A longer file is cut off; a shorter one is filled up with zeros.
  ///
  /// - Parameter size: The new size in bytes.
  ///
  /// The corresponding libuv function is `uv_fs_ftruncate`.
  public func truncate(to size: Int64) -> Request<Void> {
    Request(of: loop) { [self] in truncate(to: size, $0) }
  }

  /// Changes the file's size; see ``truncate(to:)``.
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

  /// Sets the file's permissions: who may read, write and execute it.
  ///
  /// - Parameter permissions: The new permissions.
  ///
  /// The corresponding libuv function is `uv_fs_fchmod`.
  public func chmod(_ permissions: FilePermissions) -> Request<Void> {
    Request(of: loop) { [self] in chmod(permissions, $0) }
  }

  /// Sets the file's permissions; see ``chmod(_:)``.
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

  /// Gives the file to another user and group.
  ///
  /// - Parameters:
  ///   - owner: The user's number; `.max` leaves the owner as it is.
  ///   - group: The group's number; `.max` leaves the group as it is.
  ///
  /// The corresponding libuv function is `uv_fs_fchown`.
  public func chown(owner: UInt32, group: UInt32) -> Request<Void> {
    Request(of: loop) { [self] in chown(owner: owner, group: group, $0) }
  }

  /// Gives the file to another user and group; see ``chown(owner:group:)``.
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
    Request(of: loop) { [self] in utime(accessTime: accessTime, modificationTime: modificationTime, $0) }
  }

  /// Sets when the file was last read and changed; see ``utime(accessTime:modificationTime:)``.
  ///
  /// The corresponding libuv function is `uv_fs_futime`.
  @discardableResult
  public func utime(
    accessTime: Duration, modificationTime: Duration, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed { return refuse(.badDescriptor, "fs_futime", done) }
    return FileRequest.queue(
      CUV_FILE_FUTIME, "fs_futime", on: self, times: (accessTime.timespec, modificationTime.timespec),
      .void(done))
  }
}
