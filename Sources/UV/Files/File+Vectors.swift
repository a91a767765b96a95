import CUV

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
