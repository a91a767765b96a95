import CUV

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

  /// Makes buffers with room for as many bytes as each of `counts` says.
  convenience init(room counts: [Int]) {
    self.init(
      counts.map { count in
        let storage = ByteStorage.create(capacity: count)
        return Bytes(storage: storage, start: UnsafePointer(storage.base), count: count)
      })
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
