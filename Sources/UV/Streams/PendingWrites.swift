/// The writes that the system has not yet taken, in order: first those that libuv has got, then those that
/// wait.
struct PendingWrites {
  /// The writes that libuv has got, in one request.
  var inFlight: [PendingWrite] = []
  /// The writes that wait for the next request.
  var queued: [PendingWrite] = []
  /// How many bytes are in `queued`. libuv knows how many bytes of `inFlight` are left.
  var queuedByteCount = 0
  /// How many bytes are in `inFlight`. A write counts whole until the system has taken all of it.
  var inFlightByteCount = 0
  /// The number of the write that was added last.
  private(set) var generation: UInt = 0
  /// Whether `inFlight` only holds a place, and libuv has got nothing.
  private(set) var isHeld = false
  /// How many of `queued` pass a handle.
  private var queuedHandles = 0

  /// How many bytes are held here. A write in flight counts whole, even if the system has taken a part of it.
  var heldByteCount: Int { queuedByteCount + inFlightByteCount }

  var isEmpty: Bool {
    @inline(__always) get { inFlight.isEmpty && queued.isEmpty }
  }

  /// Whether a write hasn't ended.
  func contains(_ generation: UInt) -> Bool {
    inFlight.contains { $0.generation == generation } || queued.contains { $0.generation == generation }
  }

  /// Begins a write, which may have several buffers, and gives it a number.
  mutating func beginWrite() { generation &+= 1 }

  /// Adds bytes to the write that was begun last.
  mutating func append(
    _ bytes: Bytes, passing handle: Handle? = nil, _ waiter: consuming PendingWrite.Waiter,
    isBegun: Bool = false
  ) {
    queuedByteCount += bytes.count
    if handle != nil { queuedHandles += 1 }
    queued.append(
      PendingWrite(bytes: bytes, handle: handle, waiter: waiter, generation: generation, isBegun: isBegun))
  }

  /// Adds several buffers to the write that was begun last. The system has taken the first `taken` bytes of them,
  /// but not all.
  mutating func append(_ buffers: [Bytes], after taken: Int, _ waiter: PendingWrite.Waiter) {
    var skipped = taken
    for (index, bytes) in buffers.enumerated() {
      let isLast = index == buffers.count - 1
      let part = min(skipped, bytes.count)
      skipped -= part
      if part == bytes.count, !isLast { continue }
      append(bytes.dropping(part), isLast ? waiter : .none, isBegun: taken > 0)
    }
  }

  /// Holds a place in the queue while bytes bypass it.
  mutating func standIn(_ waiter: consuming PendingWrite.Waiter) {
    beginWrite()
    isHeld = true
    inFlight = [PendingWrite(bytes: Bytes(), waiter: waiter, generation: generation)]
  }

  /// Moves the writes that one request can carry to `inFlight`. That is everything, except that a handle goes
  /// alone with the bytes that came with it.
  mutating func send() {
    guard queuedHandles > 0, let first = queued.firstIndex(where: { $0.handle != nil }) else {
      inFlightByteCount = queuedByteCount
      queuedByteCount = 0
      return swap(&inFlight, &queued)
    }
    if first == 0 { queuedHandles -= 1 }
    inFlight = Array(queued.prefix(max(first, 1)))
    queued.removeFirst(inFlight.count)
    inFlightByteCount = inFlight.reduce(0) { $0 + $1.bytes.count }
    queuedByteCount -= inFlightByteCount
  }

  /// Takes out the writes that libuv has got.
  mutating func takeInFlight() -> [PendingWrite] {
    let entries = inFlight
    inFlight = []
    inFlightByteCount = 0
    isHeld = false
    return entries
  }

  /// Takes out the writes that wait.
  mutating func takeQueued() -> [PendingWrite] {
    let entries = queued
    queued = []
    queuedHandles = 0
    queuedByteCount = 0
    return entries
  }

  /// Takes out all who wait, and all writes that libuv hasn't got.
  mutating func takeWaiters() -> [PendingWrite] {
    let entries = inFlight + takeQueued()
    for index in inFlight.indices { inFlight[index].waiter = .none }
    return entries
  }

  /// Takes out the write with this number, and returns its waiter. If some bytes of the write have left, the
  /// rest must follow, so only the waiter is taken out.
  mutating func cancel(_ generation: UInt) -> PendingWrite.Waiter? {
    guard queued.contains(where: { $0.generation == generation && !$0.isBegun }) else {
      return Self.takeWaiter(from: &queued, generation) ?? Self.takeWaiter(from: &inFlight, generation)
    }
    var waiter = PendingWrite.Waiter.none
    for entry in queued where entry.generation == generation {
      queuedByteCount -= entry.bytes.count
      if entry.handle != nil { queuedHandles -= 1 }
      if case .none = entry.waiter { continue }
      waiter = entry.waiter
    }
    queued.removeAll { $0.generation == generation }
    return waiter
  }

  private static func takeWaiter(
    from entries: inout [PendingWrite], _ generation: UInt
  ) -> PendingWrite.Waiter? {
    guard let index = entries.lastIndex(where: { $0.generation == generation }) else { return nil }
    defer { entries[index].waiter = .none }
    return entries[index].waiter
  }
}
