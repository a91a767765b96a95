import CUV

/// The memory that a loop's streams read into. All streams share one slab, because libuv always reads right
/// after it has asked for memory.
///
/// Bytes that have been read are handed out as `Bytes` that share the slab, so nothing is copied. When nobody
/// holds any part of the slab, it is used again from the start. So a reader that is done with one chunk
/// before the next costs no allocation.
final class ReadBuffer {
  private static let capacity = 65536
  /// If a slab has less room than this, it is left to its readers and a new one is made.
  private static let leastRoom = 16384

  @exclusivity(unchecked) private var slab = ByteStorage.empty
  @exclusivity(unchecked) private var used = capacity

  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
    if used > 0 {
      if isKnownUniquelyReferenced(&slab) {
        used = 0
      } else if Self.capacity - used < Self.leastRoom {
        slab = ByteStorage.create(capacity: Self.capacity)
        used = 0
      }
    }
    cuv_buf_set(buffer, slab.base + used, Self.capacity - used)
  }

  /// The first `count` bytes of what was reserved last.
  func take(_ count: Int) -> Bytes {
    let bytes = Bytes(storage: slab, start: slab.base + used, count: count)
    used += (count + 7) & ~7
    return bytes
  }
}
