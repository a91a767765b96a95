import CUV
import Synchronization

/// The loop of each thread, kept in a thread-specific value.
enum CurrentLoop {
  private static let slots = ThreadLocal<Slot>()

  /// A thread's place for its loop. It outlives both: a loop may end on another thread than the one that made
  /// it, and then takes itself out from there.
  final class Slot: @unchecked Sendable {
    private let address = Atomic<UInt>(0)
    // Sound: touched by the thread alone, on which its hosts run these loops. A loop takes itself out before
    // it goes.
    /// The adopted loops of the thread, in the order in which they were made.
    private var adopted: [Unmanaged<EventLoop>] = []
    /// The thread's alone, too.
    fileprivate let spares: UnsafeMutablePointer<SpareMicrotasks> = .allocate(capacity: 1)

    init() { spares.initialize(to: SpareMicrotasks()) }

    deinit {
      spares.pointee.deallocate()
      spares.deallocate()
    }

    /// Notes an adopted loop. If the thread has another loop, each of their callbacks says whose it is.
    func adopt(_ loop: EventLoop) {
      adopted.append(.passUnretained(loop))
      guard let current = self.loop, current.toOpaque() != adopted.last!.toOpaque() else { return }
      for each in adopted { each.takeUnretainedValue().microtasks.state.pointee.noteSeveral() }
    }

    /// Takes an adopted loop out, which leaves its host. The thread's first one that is left takes its place.
    func leave(_ loop: EventLoop) {
      adopted.removeAll { $0.toOpaque() == Unmanaged.passUnretained(loop).toOpaque() }
      if self.loop == nil { set(adopted.first?.takeUnretainedValue()) }
    }

    /// Another adopted loop of the thread on the same loop of libuv's.
    func other(than loop: EventLoop) -> EventLoop? {
      adopted.first { other in
        let other = other.takeUnretainedValue()
        return other !== loop && other.raw == loop.raw && !other.isClosed
      }?.takeUnretainedValue()
    }

    /// The loop.
    var loop: Unmanaged<EventLoop>? {
      @inline(__always) get {
        // Sound: a loop takes itself out before it goes.
        UnsafeRawPointer(bitPattern: address.load(ordering: .relaxed)).map { Unmanaged.fromOpaque($0) }
      }
    }

    func set(_ loop: EventLoop?) {
      // Sound: see above; the slot doesn't own the loop.
      let address = loop.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
      self.address.store(address, ordering: .relaxed)
    }

    /// Takes `loop` out, if it is there.
    func remove(_ loop: EventLoop) {
      // Sound: see above; the address is only compared.
      let address = UInt(bitPattern: Unmanaged.passUnretained(loop).toOpaque())
      _ = self.address.compareExchange(expected: address, desired: 0, ordering: .relaxed)
    }
  }

  /// This thread's slot; the thread keeps it.
  static var slot: Slot {
    let slot = slots.get { Slot() }
    cuv_set_thread_slot(Unmanaged.passUnretained(slot).toOpaque())
    return slot
  }

  /// The slot, if the thread has one.
  @inline(__always)
  private static func existing() -> Unmanaged<Slot>? {
    // Sound: the thread keeps its slot, and takes it out here before it goes.
    cuv_thread_slot().map { Unmanaged<Slot>.fromOpaque($0) }
  }

  @inline(__always)
  private static func loop() -> Unmanaged<EventLoop>? { existing()?._withUnsafeGuaranteedRef { $0.loop } }

  /// A microtask that ``keepSpare(_:)`` has kept.
  @inline(__always)
  static func takeSpare() -> _Microtask? {
    existing()?._withUnsafeGuaranteedRef { $0.spares }.pointee.take()
  }

  /// Keeps a microtask for use again, unless the thread has enough.
  @inline(__always)
  static func keepSpare(_ microtask: consuming _Microtask) {
    existing()?._withUnsafeGuaranteedRef { $0.spares }.pointee.keep(microtask)
  }

  static func get() -> EventLoop? { loop()?.takeUnretainedValue() }

  /// Queues a microtask on the loop of this thread, without retaining the loop. In a handler that runs for a
  /// loop on a thread without one, the microtask goes to that loop. Returns false if there is no loop.
  @inline(__always)
  static func enqueue(_ microtask: consuming _Microtask) -> Bool {
    // Nothing that is called here lets go of the loop.
    guard let loop = loop() else { return handOver(microtask) }
    let queue = loop._withUnsafeGuaranteedRef { $0.microtasks }
    queue.append(.object(microtask))
    if !queue.state.pointee.isAttended { loop._withUnsafeGuaranteedRef { $0.attend() } }
    return true
  }

  @inline(never)
  private static func handOver(_ microtask: _Microtask) -> Bool {
    guard let batch = LoopBatch.current else { return false }
    batch.enqueue(microtask)
    return true
  }

  /// Pays from the turn's budget of this thread's loop; see ``EventLoop/spend(_:)``.
  static func spend(_ cost: Int) -> Bool {
    guard let loop = loop() else { return false }
    return loop._withUnsafeGuaranteedRef { $0.spend(cost) }
  }

  /// A ticket of the loop of this thread that is at hand for use; see ``TicketPool``.
  @inline(__always)
  static func takeUnusedTicket() -> RemoteTicket? {
    // Nothing that is called here lets go of the loop.
    loop()?._withUnsafeGuaranteedRef { $0.ties.tickets.takeUnused() }
  }

  /// The object of the last ticket, if nobody holds that; see ``TicketPool``.
  @inline(__always)
  static func takeLost() -> AnyObject? {
    loop()?._withUnsafeGuaranteedRef { $0.ties.tickets.takeLost() }
  }

  static func set(_ loop: EventLoop?) { slot.set(loop) }
}

/// The microtasks that a thread has at hand for use again. All are of one class, which alone uses this: that of promises
/// in a chain.
struct SpareMicrotasks {
  /// 24 KiB of promises.
  private static let most = 256

  private var memory: UnsafeMutablePointer<_Microtask>?
  private var count = 0

  @inline(__always)
  mutating func take() -> _Microtask? {
    if count == 0 { return nil }
    count &-= 1
    // Sound: as many places are filled, and so there is memory.
    return (memory.unsafelyUnwrapped + count).move()
  }

  @inline(__always)
  mutating func keep(_ microtask: consuming _Microtask) {
    if count == Self.most { return }
    if memory == nil { memory = .allocate(capacity: Self.most) }
    (memory.unsafelyUnwrapped + count).initialize(to: microtask)
    count &+= 1
  }

  func deallocate() {
    memory?.deinitialize(count: count)
    memory?.deallocate()
  }
}

extension _Microtask {
  /// Takes an object that this thread has kept; nil if there is none.
  package static func takeSpare() -> _Microtask? { CurrentLoop.takeSpare() }

  /// Keeps an object that is done with, for ``takeSpare()`` on this thread. The caller has its last reference, and has
  /// made it as good as new. A thread keeps no more than a number of them.
  package static func keepSpare(_ microtask: consuming _Microtask) { CurrentLoop.keepSpare(microtask) }
}

extension EventLoop {
  /// Gives the calling thread the loop's name, for debuggers.
  package func nameThread() { cuv_name_thread(name) }

  /// Queues a microtask on the ``current`` loop; faster than ``enqueue(_:)``. In a handler that runs for a
  /// loop on a thread without one, the microtask goes to that loop. Returns false if there is no loop.
  package static func enqueueOnCurrent(_ microtask: consuming _Microtask) -> Bool {
    CurrentLoop.enqueue(microtask)
  }

  /// Pays for an `await` that can be answered at once, on the loop of this thread.
  ///
  /// - Parameter cost: 1 for an answer that is there, more if it is made first.
  /// - Returns: Whether the task should give way before it takes the answer; see ``giveWay()``. False if
  ///   there is no loop.
  package static func spendOnAnswer(_ cost: Int = 1) -> Bool { CurrentLoop.spend(cost) }
}

/// Whether this is the process's first thread.
package var isMainThread: Bool { cuv_is_main_thread() != 0 }

/// Refers to an object of a loop from any thread, without keeping it.
struct LoopReference<Object: AnyObject>: Sendable {
  // Sound: the reference is loaded on the loop's thread alone, and the runtime keeps weak references safe
  // from an object that goes meanwhile.
  private final class Place: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
  }

  private let place: Place
  private let executor: LoopExecutor

  init(_ object: Object, of loop: EventLoop) {
    place = Place(object)
    executor = loop.executor
  }

  /// Calls `body` with the object on the loop's thread: at once if that is this one. Does nothing if the
  /// object has gone, or the loop has ended.
  func perform(_ body: @escaping @Sendable (Object) -> Void) {
    if executor.isOnLoop {
      if let object = place.object { body(object) }
      return
    }
    let place = place
    // A loop that has ended has ended what it had.
    try? executor.execute { _ in if let object = place.object { body(object) } }
  }
}

/// The ties of a loop to its thread, and of others to the loop.
struct ThreadTies {
  /// The slot of the thread that made the loop, if it is that thread's loop.
  var slot: CurrentLoop.Slot?
  /// The values of each `LoopLocal`, by its number.
  var locals: [Int: LoopLocalAnyPlace] = [:]
  var tickets = TicketPool()
  /// The objects that are answered by hand.
  var waiting = WaitingObjects()
}

extension EventLoop {
  /// Notifies the values of the loop that it ends.
  func notifyLocals() {
    for place in ties.locals.values { place.observer?.loopEnds() }
  }

  /// Takes the loop out of the slots of all threads.
  func leaveThreads() {
    if EventLoop.current === self { EventLoop.current = nil }
    ties.slot?.remove(self)
    if isAdopted { CurrentLoop.slot.leave(self) }
    // They may refer to the loop.
    ties.locals = [:]
    executor.threadLeaves()
  }
}
