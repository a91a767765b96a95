import CUV

/// All sleeps of a loop behind one libuv timer. It is a hierarchical wheel: starting, cancelling and firing a
/// timer take constant time. libuv's heap would walk through memory for each.
///
/// A loop has a second wheel for timers that don't keep it running, once there is one of them.
final class TimerWheel: Cancelling {
  private typealias Node = TimerSlots.Node

  /// Timers that are at least so long get their deadline when the callback that starts them ends, in
  /// nanoseconds. Most of them are limits, and many of those are dropped before that.
  private static let long: UInt64 = 1_000_000_000

  /// The loop, which sets itself. Sound: it outlives its wheels. Reading it counts a reference, so that the
  /// parts of the loop that each timer needs are kept beside it.
  @exclusivity(unchecked) unowned(unsafe) var loop: EventLoop!
  /// The wheel of the timers that don't keep the loop running; nil until there is one.
  @exclusivity(unchecked) var quiet: TimerWheel?
  private let raw: UnsafeMutablePointer<uv_loop_t>
  private let microtasks: MicrotaskQueue
  private let isAdopted: Bool
  private let keepsLoopRunning: Bool
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  @exclusivity(unchecked) private var slots = TimerSlots(elapsed: uv_hrtime() / 1_000_000)
  @exclusivity(unchecked) private var armed = UInt64.max
  @exclusivity(unchecked) private var isFiring = false
  @exclusivity(unchecked) private(set) var count = 0
  /// The result of every cancelled timer, made once because an error is an object.
  let cancelled = Result<Void, UVError>.failure(UVError(.cancelled, operation: "sleep"))

  init(
    _ raw: UnsafeMutablePointer<uv_loop_t>, _ microtasks: MicrotaskQueue, isAdopted: Bool,
    keepsLoopRunning: Bool = true
  ) {
    self.raw = raw
    self.microtasks = microtasks
    self.isAdopted = isAdopted
    self.keepsLoopRunning = keepsLoopRunning
    uv_timer_init(raw, timer)
    uv_unref(cuv_handle(timer))
    // Sound: the loop closes this timer before it goes.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { slots.deallocate() }

  // MARK: Starting and cancelling

  /// Calls `done` once `duration` has passed, never earlier; zero or less means on the next turn of the loop.
  ///
  /// Taking `done` over, as the functions below do, saves a count of its references.
  func start(after duration: Duration, _ done: consuming @escaping Completion<Void>) -> PendingRequest {
    let (slot, generation) = begin(after: duration, done)
    return PendingRequest(self, slot: slot, generation: generation)
  }

  /// Does the same, for callers that know the wheel.
  func begin(
    after duration: Duration, _ done: consuming @escaping Completion<Void>
  ) -> (slot: UInt, generation: UInt) {
    begin(
      duration.nanoseconds, mayWait: microtasks.state.pointee.isAttended && keepsLoopRunning, done)
  }

  /// Calls `done` at a date, in nanoseconds on libuv's clock, and never earlier. Such a timer gets its
  /// deadline at once, so that the dates of a callback come in their order.
  func start(at date: UInt64, _ done: consuming @escaping Completion<Void>) -> PendingRequest {
    let now = uv_hrtime()
    // Only the first wheel has timers for the next turn.
    let (slot, generation) = begin(
      date > now ? date - now : keepsLoopRunning ? 0 : 1, mayWait: false, done)
    return PendingRequest(self, slot: slot, generation: generation)
  }

  /// - Parameters:
  ///   - length: In nanoseconds.
  ///   - mayWait: Whether a long timer gets its deadline when the callback ends.
  @inline(__always)
  private func begin(
    _ length: UInt64, mayWait: Bool, _ done: consuming @escaping Completion<Void>
  ) -> (slot: UInt, generation: UInt) {
    // Free on the loop's thread in a callback, and what another thread does while the loop waits.
    if !microtasks.state.pointee.isAttended { loop.requireOnLoop("a timer of an event loop") }
    assertOnLoop()
    let node = slots.takeNode()
    node.pointee.done = consume done
    noteStart()
    if length >= Self.long, mayWait {
      node.pointee.deadline = length
      slots.append(node, to: TimerSlots.new)
      microtasks.state.pointee.hasNewTimers = true
    } else if length > 0 {
      place(node, length, now: uv_hrtime())
      if node.pointee.deadline < armed, !isFiring { arm() }
    } else {
      node.pointee.deadline = 0
      slots.append(node, to: TimerSlots.immediate)
      _ = loop.internals.pump()
    }
    return (UInt(bitPattern: node), node.pointee.generation)
  }

  /// Gives a timer the slot of its deadline. That is rounded up on a clock that has just been read. The
  /// loop's own time may be old, and the timer would fire too early.
  @inline(__always)
  private func place(_ node: UnsafeMutablePointer<Node>, _ length: UInt64, now: UInt64) {
    let (due, isTooLate) = (now + 999_999).addingReportingOverflow(length)
    node.pointee.deadline = (isTooLate ? .max : due) / 1_000_000
    slots.insert(node)
  }

  /// Gives the timers that a callback has started, and not dropped, their deadlines; with one look at the
  /// clock for all of them.
  func placeNew() {
    microtasks.state.pointee.hasNewTimers = false
    var node = slots.takeAll(of: TimerSlots.new)
    if node == nil { return }
    let now = uv_hrtime()
    var earliest = UInt64.max
    while let current = node {
      node = current.pointee.next
      place(current, current.pointee.deadline, now: now)
      earliest = min(earliest, current.pointee.deadline)
    }
    if earliest < armed, !isFiring { arm() }
  }

  func cancel(slot: UInt, generation: UInt) {
    loop.assertOnLoop()
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return }
    slots.unlink(node)
    microtasks.append(.completion(finish(node), .sleep, UV_ECANCELED.rawValue))
    if !microtasks.state.pointee.isAttended { loop.attend() }
  }

  /// Takes out a timer that has no end: its completion isn't called.
  func drop(slot: UInt, generation: UInt) {
    loop.assertOnLoop()
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return }
    slots.unlink(node)
    _ = finish(node)
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    // Sound: the memory of nodes stays until the wheel goes.
    let node = UnsafeMutablePointer<Node>(bitPattern: slot)!
    guard node.pointee.generation == generation else { return nil }
    if node.pointee.list == TimerSlots.new { placeNew() }
    return Awaited(operation: "sleep", deadline: node.pointee.deadline)
  }

  /// When timers are due; see ``TimerSlots/deadlines(atMost:)``.
  func deadlines(atMost limit: Int) -> [UInt64] {
    // The other wheel places each timer at once.
    if keepsLoopRunning { placeNew() }
    return slots.deadlines(atMost: limit)
  }

  /// Ends every timer with `cancelled`.
  func cancelAll() {
    for list in 0...TimerSlots.new {
      while let node = slots.first(of: list) {
        cancel(slot: UInt(bitPattern: node), generation: node.pointee.generation)
      }
    }
  }

  /// Takes a timer's completion and gives its memory back.
  @inline(__always)
  private func finish(_ node: UnsafeMutablePointer<Node>) -> Completion<Void> {
    let done = slots.give(back: node)
    noteEnd()
    return done
  }

  /// Release builds don't read the loop for it.
  @inline(__always)
  private func assertOnLoop() {
    #if DEBUG
    loop.assertOnLoop()
    #endif
  }

  // MARK: Firing

  /// Fires the timers that are due on libuv's clock.
  func fire() {
    loop.assertOnLoop()
    assert(!isFiring, "the wheel's timer is called within itself")
    let now = uv_now(raw)
    armed = UInt64.max
    isFiring = true
    while let (deadline, list) = slots.nextExpiration(), deadline <= now {
      slots.elapsed = max(slots.elapsed, deadline)
      var node = slots.takeAll(of: list)
      while let current = node {
        node = current.pointee.next
        if current.pointee.deadline <= slots.elapsed {
          slots.append(current, to: TimerSlots.firing)
        } else {
          slots.insert(current)
        }
      }
      fireCollected()
    }
    slots.elapsed = max(slots.elapsed, now)
    isFiring = false
    if count > 0 { arm() }
  }

  /// Fires the timers that wait for the next turn, but none that these start.
  func fireImmediate() {
    var node = slots.takeAll(of: TimerSlots.immediate)
    while let current = node {
      node = current.pointee.next
      slots.append(current, to: TimerSlots.firing)
    }
    fireCollected()
  }

  /// Takes one at a time from the front: a timer that a completion cancels is unlinked before its turn comes.
  private func fireCollected() {
    let loop = loop!
    while let node = slots.first(of: TimerSlots.firing) {
      slots.unlink(node)
      finish(node)(.success(()))
      loop.endCallback()
      loop.beginCallback()
    }
  }

  // MARK: The libuv timer

  /// Has libuv know when the next timer is due, also in the callback of one.
  func armWhileFiring() { if isFiring { arm() } }

  private func arm() {
    guard let deadline = slots.nextExpiration()?.deadline else { return }
    armed = deadline
    let now = uv_now(raw)
    // A libuv timer that is due at once could run for ever and keep I/O out; see libuv's issue 4245.
    uv_timer_start(timer, wheelCallback, deadline > now ? deadline - now : 1, 0)
  }

  /// The libuv timer stays armed when a timer is cancelled, even the last one: waking up once for nothing is
  /// cheaper than a search, or stopping and starting it, for each timeout. It keeps the loop running only
  /// while there are timers.
  @inline(__always)
  private func noteStart() {
    if count == 0, keepsLoopRunning { uv_ref(cuv_handle(timer)) }
    count &+= 1
    if isAdopted { loop.hold() }
  }

  @inline(__always)
  private func noteEnd() {
    count &-= 1
    assert(count >= 0, "a timer ends twice")
    if count == 0, keepsLoopRunning { uv_unref(cuv_handle(timer)) }
    if isAdopted { loop.letGo() }
  }

  func close() {
    // Sound: the loop isn't gone before libuv has let go of the timer, or the timer isn't notified of it.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(loop).toOpaque())
    closeInternal(timer, of: loop)
  }
}

private func wheelCallback(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  // Sound: the loop closes this timer before it goes, and with it the wheel.
  Unmanaged<TimerWheel>.fromOpaque(cuv_handle_data(timer))._withUnsafeGuaranteedRef { wheel in
    let loop = wheel.loop!
    loop.callback { wheel.fire() }
  }
}
