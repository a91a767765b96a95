import CUV

/// All sleeps of a loop behind one libuv timer. It is a hierarchical wheel: starting, cancelling and firing a
/// timer take constant time. libuv's heap would walk through memory for each.
///
/// A loop has a second wheel for timers that don't keep it running, once there is one of them.
///
/// There are eight levels of 64 slots; a slot of level *n* covers 64ⁿ milliseconds. A timer waits in the
/// level where its deadline first differs from the wheel's time, and moves down as that time comes near.
/// Timers with equal deadlines keep the order in which they were started, because every move appends.
final class TimerWheel: Cancelling {
  struct Node {
    var next: UnsafeMutablePointer<Node>?
    var previous: UnsafeMutablePointer<Node>?
    /// Milliseconds on libuv's clock.
    var deadline: UInt64 = 0
    /// Distinguishes the uses of this memory. It is odd while a timer is in it.
    var generation: UInt = 0
    var list: Int = 0
    var done: Completion<Void>?
  }

  struct List {
    var first: UnsafeMutablePointer<Node>?
    var last: UnsafeMutablePointer<Node>?
  }

  private static let levels = 8
  private static let firing = levels * 64
  private static let immediate = firing + 1

  /// The loop, which sets itself. Sound: it outlives its wheels. Reading it counts a reference, so that the parts of the loop
  /// that each timer needs are kept beside it.
  @exclusivity(unchecked) unowned(unsafe) var loop: EventLoop!
  private let raw: UnsafeMutablePointer<uv_loop_t>
  private let microtasks: MicrotaskQueue
  private let isAdopted: Bool
  private let keepsLoopRunning: Bool
  private let lists = UnsafeMutablePointer<List>.allocate(capacity: immediate + 1)
  private let occupied = UnsafeMutablePointer<UInt64>.allocate(capacity: levels)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  @exclusivity(unchecked) private var chunks: [UnsafeMutablePointer<Node>] = []
  @exclusivity(unchecked) private var free: UnsafeMutablePointer<Node>?
  @exclusivity(unchecked) private var elapsed: UInt64
  @exclusivity(unchecked) private var armed = UInt64.max
  @exclusivity(unchecked) private var isFiring = false
  @exclusivity(unchecked) private(set) var count = 0
  /// What a cancelled timer ends with. Most timers are cancelled, and an error is an object.
  let cancelled = Result<Void, UVError>.failure(UVError(.cancelled, operation: "sleep"))

  init(
    _ raw: UnsafeMutablePointer<uv_loop_t>, _ microtasks: MicrotaskQueue, isAdopted: Bool,
    keepsLoopRunning: Bool = true
  ) {
    self.raw = raw
    self.microtasks = microtasks
    self.isAdopted = isAdopted
    self.keepsLoopRunning = keepsLoopRunning
    lists.initialize(repeating: List(), count: Self.immediate + 1)
    occupied.initialize(repeating: 0, count: Self.levels)
    elapsed = uv_hrtime() / 1_000_000
    uv_timer_init(raw, timer)
    uv_unref(cuv_handle(timer))
    // Sound: the loop closes this timer before it goes.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    for chunk in chunks {
      chunk.deinitialize(count: Self.nodesPerChunk)
      chunk.deallocate()
    }
    lists.deallocate()
    occupied.deallocate()
  }

  // MARK: Starting and cancelling

  /// Calls `done` once `duration` has passed, never earlier; zero or less means on the next turn of the loop.
  ///
  /// Taking `done` over, as the functions below do, saves a count of its references.
  func start(after duration: Duration, _ done: consuming @escaping Completion<Void>) -> PendingRequest {
    let (slot, generation) = begin(after: duration, done)
    return PendingRequest(self, slot: slot, generation: generation)
  }

  /// Does the same, for whoever knows the wheel.
  func begin(
    after duration: Duration, _ done: consuming @escaping Completion<Void>
  ) -> (slot: UInt, generation: UInt) {
    let node = takeNode()
    node.pointee.done = consume done
    noteStart()
    let length = duration.nanoseconds
    if length > 0 {
      // It is rounded up on a clock that is read now. The loop's own time may be old, and the timer would
      // fire too early.
      let (due, isTooLate) = (uv_hrtime() + 999_999).addingReportingOverflow(length)
      node.pointee.deadline = (isTooLate ? .max : due) / 1_000_000
      insert(node)
      if node.pointee.deadline < armed, !isFiring { arm() }
    } else {
      append(node, to: Self.immediate)
      _ = loop.internals.pump()
    }
    return (UInt(bitPattern: node), node.pointee.generation)
  }

  func cancel(slot: UInt, generation: UInt) {
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return }
    unlink(node)
    microtasks.append(.completion(finish(node), .sleep, UV_ECANCELED.rawValue))
    if !microtasks.state.pointee.isAttended { loop.attend() }
  }

  /// Takes out a timer that has no end: its completion isn't called.
  func drop(slot: UInt, generation: UInt) {
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return }
    unlink(node)
    _ = finish(node)
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    // Sound: the memory of nodes stays until the wheel goes.
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return nil }
    return Awaited(operation: "sleep", deadline: node.pointee.deadline)
  }

  /// When timers are due, in milliseconds on libuv's clock: those that the wheel would come to first, as many as `limit`.
  /// Further ahead the wheel knows no order among timers that are due at about the same time.
  func deadlines(atMost limit: Int) -> [UInt64] {
    var deadlines: [UInt64] = []
    func add(_ list: Int) {
      var node = lists[list].first
      while let current = node, deadlines.count < limit {
        deadlines.append(current.pointee.deadline)
        node = current.pointee.next
      }
    }
    add(Self.firing)
    add(Self.immediate)
    for level in 0..<Self.levels where occupied[level] != 0 {
      let current = Int(truncatingIfNeeded: elapsed >> UInt64(level * 6)) & 63
      for offset in 0..<64 where deadlines.count < limit { add(level * 64 + (current + offset) & 63) }
    }
    return deadlines.sorted()
  }

  /// Ends every timer with `cancelled`.
  func cancelAll() {
    for index in 0...Self.immediate {
      while let node = lists[index].first {
        cancel(slot: UInt(bitPattern: node), generation: node.pointee.generation)
      }
    }
  }

  // MARK: Firing

  /// Fires the timers that are due on libuv's clock.
  func fire() {
    let now = uv_now(raw)
    armed = UInt64.max
    isFiring = true
    while let (deadline, level, slot) = nextExpiration(), deadline <= now {
      elapsed = max(elapsed, deadline)
      let index = level * 64 + slot
      occupied[level] &= ~(1 << UInt64(slot))
      var node = lists[index].first
      lists[index] = List()
      while let current = node {
        node = current.pointee.next
        if current.pointee.deadline <= elapsed { append(current, to: Self.firing) } else { insert(current) }
      }
      fireList(Self.firing)
    }
    elapsed = max(elapsed, now)
    isFiring = false
    if count > 0 { arm() }
  }

  /// Fires the timers that wait for the next turn, but none that these start.
  func fireImmediate() {
    guard lists[Self.immediate].first != nil else { return }
    var node = lists[Self.immediate].first
    lists[Self.immediate] = List()
    while let current = node {
      node = current.pointee.next
      append(current, to: Self.firing)
    }
    fireList(Self.firing)
  }

  /// Takes one at a time from the front: a timer that a completion cancels is unlinked before its turn comes.
  private func fireList(_ index: Int) {
    while let node = lists[index].first {
      unlink(node)
      finish(node)(.success(()))
      loop.endCallback()
      loop.beginCallback()
    }
  }

  // MARK: The libuv timer

  private func arm() {
    guard let (deadline, _, _) = nextExpiration() else { return }
    armed = deadline
    let now = uv_now(raw)
    // A libuv timer that is due at once could run for ever and keep I/O out; see libuv's issue 4245.
    uv_timer_start(timer, wheelCallback, deadline > now ? deadline - now : 1, 0)
  }

  /// The libuv timer stays armed when a timer is cancelled, even the last one: waking up once for nothing is cheaper than
  /// a search, or stopping and starting it, for each timeout. It keeps the loop running only while there are timers.
  @inline(__always)
  private func noteStart() {
    if count == 0, keepsLoopRunning { uv_ref(cuv_handle(timer)) }
    count &+= 1
    if isAdopted { loop.hold() }
  }

  @inline(__always)
  private func noteEnd() {
    count &-= 1
    if count == 0, keepsLoopRunning { uv_unref(cuv_handle(timer)) }
    if isAdopted { loop.letGo() }
  }

  func close() {
    // Sound: the loop isn't gone before libuv has let go of the timer, or the timer isn't told of it.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(loop).toOpaque())
    closeInternal(timer, of: loop)
  }

  // MARK: Slots

  private func insert(_ node: UnsafeMutablePointer<Node>) {
    let deadline = node.pointee.deadline
    let difference = (elapsed ^ deadline) | 63
    let level = (63 - difference.leadingZeroBitCount) / 6
    let slot = Int(truncatingIfNeeded: deadline >> UInt64(level * 6)) & 63
    occupied[level] |= 1 << UInt64(slot)
    append(node, to: level * 64 + slot)
  }

  /// The first slot that isn't empty, and when it is due. The levels are ordered, and so are the slots of
  /// each level.
  private func nextExpiration() -> (deadline: UInt64, level: Int, slot: Int)? {
    for level in 0..<Self.levels where occupied[level] != 0 {
      let shift = UInt64(level * 6)
      let current = (elapsed >> shift) & 63
      let bits = occupied[level]
      let rotated = current == 0 ? bits : (bits >> current) | (bits << (64 - current))
      let slot = (UInt64(rotated.trailingZeroBitCount) + current) & 63
      let start = (elapsed >> (shift + 6)) << (shift + 6)
      var deadline = start + (slot << shift)
      if slot < current { deadline += 1 << (shift + 6) }
      return (deadline, level, Int(slot))
    }
    return nil
  }

  private func append(_ node: UnsafeMutablePointer<Node>, to index: Int) {
    node.pointee.list = index
    node.pointee.next = nil
    node.pointee.previous = lists[index].last
    if let last = lists[index].last { last.pointee.next = node } else { lists[index].first = node }
    lists[index].last = node
  }

  @inline(__always)
  private func unlink(_ node: UnsafeMutablePointer<Node>) {
    let index = node.pointee.list
    let (previous, next) = (node.pointee.previous, node.pointee.next)
    if let previous { previous.pointee.next = next } else { lists[index].first = next }
    if let next { next.pointee.previous = previous } else { lists[index].last = previous }
    if index < Self.firing, lists[index].first == nil { occupied[index / 64] &= ~(1 << UInt64(index & 63)) }
  }

  // MARK: Nodes

  private static let nodesPerChunk = 256

  @inline(never)
  private func addChunk() {
    let chunk = UnsafeMutablePointer<Node>.allocate(capacity: Self.nodesPerChunk)
    chunk.initialize(repeating: Node(), count: Self.nodesPerChunk)
    chunks.append(chunk)
    for index in (0..<Self.nodesPerChunk).reversed() {
      (chunk + index).pointee.next = free
      free = chunk + index
    }
  }

  @inline(__always)
  private func takeNode() -> UnsafeMutablePointer<Node> {
    if free == nil { addChunk() }
    let node = free!
    free = node.pointee.next
    node.pointee.generation &+= 1
    return node
  }

  /// Takes a node's completion and gives its memory back.
  @inline(__always)
  private func finish(_ node: UnsafeMutablePointer<Node>) -> Completion<Void> {
    let done = node.pointee.done.take()!
    node.pointee.generation &+= 1
    node.pointee.next = free
    free = node
    noteEnd()
    return done
  }
}

private func wheelCallback(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  // Sound: the loop closes this timer before it goes, and with it the wheel.
  Unmanaged<TimerWheel>.fromOpaque(cuv_handle_data(timer))._withUnsafeGuaranteedRef { wheel in
    let loop = wheel.loop!
    loop.callback { wheel.fire() }
  }
}
