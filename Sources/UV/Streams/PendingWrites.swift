/// The writes that the system has not yet taken, in order: first those that libuv has got, then those that
/// wait.
struct PendingWrites {
  /// The writes that libuv has got, in one request.
  var inFlight: [PendingWrite] = []
  /// The writes that wait for the next request. The first `start` of them have been taken out, and hold
  /// nothing.
  var queued: [PendingWrite] = []
  private(set) var start = 0
  /// How many bytes are in `queued`. libuv knows how many bytes of `inFlight` are left.
  var queuedByteCount = 0
  /// How many bytes are in `inFlight`. A write counts whole until the system has taken all of it.
  var inFlightByteCount = 0
  /// The number of the write that was added last.
  private(set) var generation: UInt = 0
  /// The number of the last write that has begun: the system has some of its bytes, or they were sealed, so
  /// that the rest must follow. Writes leave in their order, so that all writes before it have begun, too.
  var begun: UInt = 0
  /// Whether `inFlight` only holds a place, and libuv has got nothing.
  private(set) var isHeld = false
  /// How many of `queued` pass a handle.
  private var queuedHandles = 0

  /// How many bytes are held here. A write in flight counts whole, even if the system has taken a part of it.
  var heldByteCount: Int { queuedByteCount + inFlightByteCount }

  var isEmpty: Bool {
    @inline(__always) get { inFlight.isEmpty && queued.isEmpty }
  }

  /// Whether bytes of this write have left, or were sealed.
  func hasBegun(_ entry: PendingWrite) -> Bool { entry.generation <= begun }

  /// Whether a write hasn't ended.
  func contains(_ generation: UInt) -> Bool {
    inFlight.contains { $0.generation == generation } || queued.contains { $0.generation == generation }
  }

  /// Begins a write, which may have several buffers, and gives it a number.
  mutating func beginWrite() { generation &+= 1 }

  /// Adds bytes to the write that was added last.
  ///
  /// - Parameter isBegun: Whether the system has taken bytes of it, so that these must follow.
  mutating func append(
    _ bytes: Bytes, passing handle: Handle? = nil, _ waiter: consuming PendingWrite.Waiter,
    isBegun: Bool = false
  ) {
    queuedByteCount += bytes.count
    if handle != nil { queuedHandles += 1 }
    if isBegun { begun = generation }
    queued.append(PendingWrite(bytes: bytes, handle: handle, waiter: waiter, generation: generation))
  }

  /// Adds several buffers to the write that was added last. The system has taken the first `taken` bytes of
  /// them, but not all.
  mutating func append(_ buffers: [Bytes], after taken: Int, _ waiter: PendingWrite.Waiter) {
    if buffers.isEmpty { return append(Bytes(), waiter) }
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

  // MARK: Moving on

  /// Moves the writes that one request can carry to `inFlight`. That is everything, except that a handle goes
  /// alone with the bytes that came with it.
  mutating func send() {
    guard queuedHandles > 0, let first = queued[start...].firstIndex(where: { $0.handle != nil }) else {
      inFlightByteCount = queuedByteCount
      return moveAll()
    }
    if first == start { queuedHandles -= 1 }
    inFlightByteCount = moveFirst(max(first - start, 1))
  }

  /// Moves everything that waits to `inFlight`, which is empty. The two exchange their memory.
  mutating func moveAll() {
    if start > 0 { queued.removeFirst(start) }
    start = 0
    queuedByteCount = 0
    swap(&inFlight, &queued)
  }

  /// Moves the first writes that wait to `inFlight`, which is empty.
  ///
  /// - Returns: How many bytes they have.
  mutating func moveFirst(_ count: Int) -> Int {
    var byteCount = 0
    inFlight.reserveCapacity(count + 1)
    for index in start..<start + count {
      byteCount += queued[index].bytes.count
      inFlight.append(queued[index])
      queued[index] = PendingWrite(bytes: Bytes(), waiter: .none, generation: 0)
    }
    queuedByteCount -= byteCount
    start += count
    // The rest moves up once for as many writes as have been taken, not each time.
    if start * 2 >= queued.count {
      queued.removeFirst(start)
      start = 0
    }
    return byteCount
  }

  /// Moves as many writes to `inFlight` as are sealed together, and a part of the next. They have begun.
  mutating func moveToSeal(upTo limit: Int) {
    if queuedByteCount <= limit {
      begun = queued.last!.generation
      return moveAll()
    }
    var (whole, room) = (0, limit)
    while room > 0, queued[start + whole].bytes.count <= room {
      room -= queued[start + whole].bytes.count
      whole += 1
    }
    _ = moveFirst(whole)
    if room > 0 { movePart(room) }
    begun = inFlight.last!.generation
  }

  /// Moves the first bytes of a large write. Its waiter waits for the rest.
  private mutating func movePart(_ count: Int) {
    let (bytes, generation) = (queued[start].bytes, queued[start].generation)
    queued[start].bytes = bytes.dropping(count)
    queuedByteCount -= count
    inFlight.append(
      PendingWrite(bytes: Bytes(bytes.prefix(count)), waiter: .none, generation: generation))
  }

  // MARK: Taking out

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
    let entries = start == 0 ? queued : Array(queued[start...])
    queued = []
    start = 0
    queuedHandles = 0
    queuedByteCount = 0
    return entries
  }

  /// Takes out all waiters, and all writes that libuv hasn't got.
  mutating func takeWaiters() -> [PendingWrite] {
    let entries = inFlight + takeQueued()
    for index in inFlight.indices { inFlight[index].waiter = .none }
    return entries
  }

  /// Takes out the write with this number, and returns its waiter. If the write has begun, or libuv has got
  /// it, its bytes must follow, so only the waiter is taken out.
  mutating func cancel(_ generation: UInt) -> PendingWrite.Waiter? {
    if generation <= begun || inFlight.contains(where: { $0.generation == generation }) {
      return Self.takeWaiter(from: &queued, generation) ?? Self.takeWaiter(from: &inFlight, generation)
    }
    var waiter: PendingWrite.Waiter?
    for entry in queued where entry.generation == generation {
      queuedByteCount -= entry.bytes.count
      if entry.handle != nil { queuedHandles -= 1 }
      waiter = entry.waiter
    }
    queued.removeAll { $0.generation == generation }
    if queued.count == start { _ = takeQueued() }
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

/// Bytes that the system has not yet taken, and the waiter for that.
struct PendingWrite {
  enum Waiter {
    case none
    case callback(Completion<Void>)
    // Sound: the result is made and taken on the loop's thread.
    case task(UnsafeContinuation<UnsafeTransfer<Int32>, Never>)

    /// Reports an error. A task gets the code alone, and knows what it stands for.
    func resume(_ error: UVError) {
      if case .callback(let done) = self { done(.failure(error)) } else { resume(error.code.rawValue) }
    }

    func resume(_ code: Int32) {
      switch self {
      case .none: break
      case .callback(let done): done(code < 0 ? .failure(failure(code, "write")) : .success(()))
      case .task(let continuation): continuation.resume(returning: UnsafeTransfer(code))
      }
    }
  }

  var bytes: Bytes
  /// The handle that is passed with the bytes. It is retained until libuv is done with it.
  var handle: Handle? = nil
  var waiter: Waiter
  var generation: UInt
  /// The waiter's outcome if it is known before libuv's request ends: 0 once the system has taken all bytes.
  var outcome: Int32?

  /// Gives the waiter the outcome: the one that was known before, or `code`, with which its request ended.
  func resume(_ code: Int32) { waiter.resume(outcome ?? code) }

  /// Gives the waiter the outcome that was known before, or an error.
  func resume(_ error: UVError) {
    if let outcome { waiter.resume(outcome) } else { waiter.resume(error) }
  }
}
