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

/// How much the stream that reads at present has read in this turn without coming to the end of what its peer
/// has sent.
///
/// libuv lets a stream fill its buffer 32 times before the next stream has its turn. With a buffer of 64 KiB,
/// one peer that sends without a pause makes all others wait for two milliseconds each time.
struct ReadShare {
  /// How many bytes a stream reads in a turn when its peer goes on sending.
  static let limit = 128 << 10

  private var reader: UnsafeRawPointer?
  private var count = 0
  /// Distinguishes one turn from another: the loop has polled if it has changed.
  private(set) var turn: UInt32 = 0

  /// Notes that `handle` has filled a buffer of `size` bytes.
  @inline(__always)
  mutating func noteFullRead(by handle: UnsafeRawPointer, _ size: Int) {
    count = handle == reader ? count &+ size : size
    reader = handle
  }

  /// How many bytes `handle` may still read in this turn.
  @inline(__always)
  func rest(of handle: UnsafeRawPointer) -> Int { handle == reader ? Self.limit &- count : Self.limit }

  /// Begins a turn.
  @inline(__always)
  mutating func renew() {
    reader = nil
    turn &+= 1
  }
}

/// The memory that a loop's UDP sockets receive into. Datagrams are copied out of it, because most are small
/// but the buffer has to be large. One buffer serves all sockets, because libuv always receives right after
/// it has asked for memory.
final class DatagramBuffer {
  /// The size of the largest possible datagram, rounded up. libuv gives each datagram of a batch this much.
  private static let room = 65536
  /// How many datagrams libuv receives in one system call.
  private static let batch = 20

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0

  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>, isBatch: Bool) {
    let needed = isBatch ? Self.room * Self.batch : Self.room
    if capacity < needed {
      memory?.deallocate()
      memory = .allocate(byteCount: needed, alignment: 16)
      capacity = needed
    }
    cuv_buf_set(buffer, memory, needed)
  }

  deinit { memory?.deallocate() }
}

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
