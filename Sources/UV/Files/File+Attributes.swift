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

/// Several buffers in one operation, which costs one job of the thread pool and one system call.
extension File {
  /// Reads into several buffers, one after the other.
  ///
  /// - Parameters:
  ///   - counts: How many bytes each buffer has room for, 1 or more. There may be 1…1,024 buffers with 1 GiB
  ///     in all.
  ///   - offset: Where to read, in bytes from the file's beginning. Nil reads at the file's position and
  ///     moves it.
  /// - Returns: A request for as many buffers as there are counts. The buffer in which the file ends holds
  ///   fewer bytes, and those after it hold none. The request fails as ``read(_:at:)-(Int,_)`` does, and with
  ///   `invalidArgument` for other counts.
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  public func read(_ counts: [Int], at offset: Int64? = nil) -> Request<[Bytes]> {
    Request(of: loop) { [self] in read(counts, at: offset, $0) }
  }

  /// Reads into several buffers, one after the other; see ``read(_:at:)-([Int],_)``.
  ///
  /// The corresponding libuv function is `uv_fs_read`.
  @discardableResult
  public func read(_ counts: [Int], at offset: Int64? = nil, _ done: @escaping Completion<[Bytes]>)
    -> PendingRequest
  {
    guard 1...FileVector.maximumCount ~= counts.count, counts.allSatisfy({ 1...(1 << 30) ~= $0 }),
      counts.reduce(0, +) <= 1 << 30, (offset ?? 0) >= 0
    else { return refuse(.invalidArgument, "fs_read", done) }
    if isClosed { return refuse(.badDescriptor, "fs_read", done) }
    return FileRequest.queue(
      CUV_FILE_READ, "fs_read", on: self,
      FileVector(counts.map { loop.fileQueue.blocks.reserve($0) }), offset: offset ?? -1,
      .converting({ $0.vector!.filled($0.request.pointee.result) }, done))
  }

  /// Writes all of several buffers, one after the other.
  ///
  /// - Parameters:
  ///   - buffers: The bytes to write.
  ///   - offset: Where to write, in bytes from the file's beginning. Nil writes at the file's position and
  ///     moves it.
  /// - Returns: A request that fails as ``write(_:at:)-(Bytes,_)`` does. If it fails, some of the bytes may
  ///   have been written.
  ///
  /// The corresponding libuv function is `uv_fs_write`.
  public func write(_ buffers: [Bytes], at offset: Int64? = nil) -> Request<Void> {
    Request(of: loop) { [self] in write(buffers, at: offset, $0) }
  }

  /// Writes all of several buffers, one after the other; see ``write(_:at:)-([Bytes],_)``.
  ///
  /// The corresponding libuv function is `uv_fs_write`.
  @discardableResult
  public func write(_ buffers: [Bytes], at offset: Int64? = nil, _ done: @escaping Completion<Void>)
    -> PendingRequest
  {
    if (offset ?? 0) < 0 { return refuse(.invalidArgument, "fs_write", done) }
    if isClosed { return refuse(.badDescriptor, "fs_write", done) }
    return FileRequest.queue(
      CUV_FILE_WRITE, "fs_write", on: self, FileVector(buffers.isEmpty ? [Bytes()] : buffers),
      offset: offset ?? -1, .void(done))
  }
}

/// The buffers of one read or write of a file, in libuv's form.
final class FileVector {
  /// How many buffers one read fills.
  static let maximumCount = 1024

  let buffers: [Bytes]
  private let storage: UnsafeMutablePointer<uv_buf_t>
  /// The index of the first buffer that isn't done.
  private var index = 0

  init(_ buffers: [Bytes]) {
    self.buffers = buffers
    storage = .allocate(capacity: buffers.count)
    for (index, bytes) in buffers.enumerated() { cuv_buf_set(storage + index, bytes.start, bytes.count) }
  }

  deinit { storage.deallocate() }

  /// The buffers that are left, for libuv.
  var list: (UnsafeMutablePointer<uv_buf_t>, UInt32) { (storage + index, UInt32(buffers.count - index)) }

  /// Skips the first `count` bytes of what is left; false if nothing is left then.
  func advance(by count: Int) -> Bool {
    var count = count
    while index < buffers.count, storage[index].len <= count {
      count -= storage[index].len
      index += 1
    }
    if index == buffers.count { return false }
    storage[index].base += count
    storage[index].len -= count
    return true
  }

  /// The buffers, after `count` bytes have been read into all of them together.
  func filled(_ count: Int) -> [Bytes] {
    var rest = count
    return buffers.map { room in
      let count = min(rest, room.count)
      rest -= count
      return Bytes(storage: room.storage, start: room.start, count: count)
    }
  }
}
