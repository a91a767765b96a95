/// The memory that a loop's file reads of up to a page go into.
///
/// A block is used again when nobody holds any of its bytes any more. glibc takes 100 ns to allocate and free
/// a block of more than 1 KiB, and gives another one than the last, which the processor has in its caches.
struct ReadBlocks {
  /// How many bytes a block has.
  private static let size = 4096
  /// A read of fewer has memory of its own: what is kept of a block keeps all of it.
  private static let leastCount = size / 2
  /// How many are kept at most.
  private static let limit = 64
  /// How many are looked at for one that nobody holds.
  private static let mostTries = 8

  private var blocks: ContiguousArray<ByteStorage> = []
  private var next = 0

  /// Room for `count` bytes.
  mutating func reserve(_ count: Int) -> Bytes {
    let storage = Self.leastCount...Self.size ~= count ? takeBlock() : ByteStorage.create(capacity: count)
    return Bytes(storage: storage, start: UnsafePointer(storage.base), count: count)
  }

  private mutating func takeBlock() -> ByteStorage {
    for _ in 0..<min(Self.mostTries, blocks.count) {
      next = next + 1 < blocks.count ? next + 1 : 0
      if isKnownUniquelyReferenced(&blocks[next]) { return blocks[next] }
    }
    let block = ByteStorage.create(capacity: Self.size)
    if blocks.count < Self.limit { blocks.append(block) } else { blocks[next] = block }
    return block
  }
}
