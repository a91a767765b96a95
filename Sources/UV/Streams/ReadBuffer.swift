import CUV

/// The memory that a loop's streams read into, one slab shared by all: libuv pairs each allocation with its read.
///
/// What has been read is handed out as `Bytes` that share the slab, so nothing is copied. When nobody holds any of
/// it, it is used again from the start; so a reader that is done with a chunk before the next costs no allocation.
final class ReadBuffer {
  private static let capacity = 65536
  /// A slab with less room than this is left to its readers.
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
