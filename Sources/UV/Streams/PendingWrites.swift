/// The writes that the system has not yet taken, in order: those that libuv has been handed, and those that wait.
struct PendingWrites {
  /// Handed to libuv in one request.
  var inFlight: [PendingWrite] = []
  /// Waiting for the next one.
  var queued: [PendingWrite] = []
  /// The bytes of `queued`; how many of the others are left, libuv knows.
  private(set) var queuedByteCount = 0
  /// The bytes of `inFlight`, each write of which is held whole until the system has taken all of it.
  private var inFlightByteCount = 0
  /// The number of the write that was added last.
  private(set) var generation: UInt = 0
  /// Whether what is in flight is a place that is held, and not with libuv.
  private(set) var isHeld = false
  /// How many of `queued` pass a handle.
  private var queuedHandles = 0

  /// How many bytes are held here, those that the system has taken of a write in flight included.
  var heldByteCount: Int { queuedByteCount + inFlightByteCount }

  var isEmpty: Bool {
    @inline(__always) get { inFlight.isEmpty && queued.isEmpty }
  }

  /// Numbers a write, which may be of several buffers.
  mutating func beginWrite() { generation &+= 1 }

  /// Adds bytes to the write that has been begun.
  mutating func append(
    _ bytes: Bytes, passing handle: Handle? = nil, _ waiter: consuming PendingWrite.Waiter,
    isBegun: Bool = false
  ) {
    queuedByteCount += bytes.count
    if handle != nil { queuedHandles += 1 }
    queued.append(
      PendingWrite(bytes: bytes, handle: handle, waiter: waiter, generation: generation, isBegun: isBegun))
  }

  /// Holds a place while something goes out past the queue.
  mutating func standIn(_ waiter: consuming PendingWrite.Waiter) {
    beginWrite()
    isHeld = true
    inFlight = [PendingWrite(bytes: Bytes(), waiter: waiter, generation: generation)]
  }

  /// Takes what one request can carry: everything, but a handle goes alone, with the bytes that it was given.
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

  /// Takes out what libuv was handed.
  mutating func takeInFlight() -> [PendingWrite] {
    let entries = inFlight
    inFlight = []
    inFlightByteCount = 0
    isHeld = false
    return entries
  }

  /// Takes out what waits.
  mutating func takeQueued() -> [PendingWrite] {
    let entries = queued
    queued = []
    queuedHandles = 0
    queuedByteCount = 0
    return entries
  }

  /// Takes out the write of that number, and whoever waits for it. Where bytes are on their way, the rest must follow
  /// them; only the waiter can be let go.
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
