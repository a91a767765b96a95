import CUV

extension FileSystem {
  /// The contents of a file.
  ///
  /// Opening, reading and closing are one job of the thread pool: four trips there cost far more than the work.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - maximumSize: Fails with `fileTooLarge` rather than read more bytes than this.
  /// - Returns: A request that fails with `isDirectory` for a directory, and as the system says.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func readFile(_ path: some PathConvertible, maximumSize: Int = .max - 1) -> Request<Bytes> {
    Request(loop) { readFile(path, maximumSize: maximumSize, $0) }
  }

  /// The contents of a file; see ``readFile(_:maximumSize:)``.
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

  /// Makes `bytes` the contents of a file, which is created if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: Its new contents.
  ///   - atomically: Writes a temporary file in the same directory first, has it reach the disk, and renames it: a
  ///     reader sees the old contents or the new, never a part, and a failure leaves the old.
  ///   - permissions: Those of a file that is created; without `atomically` less the process's mask.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func writeFile(
    _ path: some PathConvertible, _ bytes: Bytes, atomically: Bool = false,
    permissions: FilePermissions = .ownerReadWriteOthersRead
  ) -> Request<Void> {
    Request(loop) { writeFile(path, bytes, atomically: atomically, permissions: permissions, $0) }
  }

  /// Makes `bytes` the contents of a file; see ``writeFile(_:_:atomically:permissions:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  @discardableResult
  public func writeFile(
    _ path: some PathConvertible, _ bytes: Bytes, atomically: Bool = false,
    permissions: FilePermissions = .ownerReadWriteOthersRead, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let job = WholeFileJob(loop, "write_file", path, bytes) { _ in
    } _: {
      done($0)
    }
    job.job.pointee.writes = 1
    job.job.pointee.atomic = atomically ? 1 : 0
    job.job.pointee.mode = Int32(truncatingIfNeeded: permissions.rawValue)
    return job.start()
  }
}
