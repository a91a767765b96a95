import CUV

/// The memory that a loop's streams read into. All streams share one slab, because libuv always reads right
/// after it has asked for memory.
///
/// Bytes that have been read are handed out as `Bytes` that share the slab, so nothing is copied. When nobody
/// holds any part of the slab, it is used again from the start. So a reader that is done with one chunk
/// before the next costs no allocation.
final class ReadBuffer {
  private static let usualCapacity = 65536
  /// The capacity once a read has filled a slab: a message of 64 KiB and what comes with it, such as its head, are
  /// then read at once and lie together.
  private static let fullCapacity = usualCapacity + leastRoom
  /// If a slab has less room than this, it is left to its readers and a new one is made.
  private static let leastRoom = 16384

  @exclusivity(unchecked) private var slab = ByteStorage.empty
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private var used = 0
  /// The capacity of the slab that is made next.
  @exclusivity(unchecked) private var nextCapacity = usualCapacity

  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
    if used > 0, capacity == nextCapacity, isKnownUniquelyReferenced(&slab) { used = 0 }
    if capacity - used < Self.leastRoom {
      capacity = nextCapacity
      slab = ByteStorage.create(capacity: capacity)
      used = 0
    }
    cuv_buf_set(buffer, slab.base + used, capacity - used)
  }

  /// The first `count` bytes of what was reserved last.
  func take(_ count: Int) -> Bytes {
    let bytes = Bytes(storage: slab, start: slab.base + used, count: count)
    if used + count == capacity { nextCapacity = Self.fullCapacity }
    used += (count + 7) & ~7
    return bytes
  }
}
