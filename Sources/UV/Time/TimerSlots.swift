/// The slots of a ``TimerWheel``, and the memory of the timers in them. It knows no clock and no libuv.
///
/// There are eight levels of 64 slots; a slot of level *n* covers 64ⁿ milliseconds. A timer waits in the
/// level where its deadline first differs from the wheel's time, and moves down as that time comes near.
/// Timers with equal deadlines keep the order in which they were started, because every move appends.
struct TimerSlots {
  struct Node {
    var next: UnsafeMutablePointer<Node>?
    var previous: UnsafeMutablePointer<Node>?
    /// Milliseconds on libuv's clock. In the list of new timers: how long the timer is, in nanoseconds.
    var deadline: UInt64 = 0
    /// Distinguishes the uses of this memory. It is odd while a timer is in it.
    var generation: UInt = 0
    var list: Int = 0
    var done: Completion<Void>?
  }

  private struct List {
    var first: UnsafeMutablePointer<Node>?
    var last: UnsafeMutablePointer<Node>?
  }

  static let levels = 8
  // Three lists beside the levels: timers that fire now, those of the next turn, and those without a deadline
  // so far.
  static let firing = levels * 64
  static let immediate = firing + 1
  static let new = immediate + 1
  private static let nodesPerChunk = 256

  /// The wheel's time, in milliseconds on libuv's clock.
  var elapsed: UInt64
  private let lists = UnsafeMutablePointer<List>.allocate(capacity: new + 1)
  private let occupied = UnsafeMutablePointer<UInt64>.allocate(capacity: levels)
  private var chunks: [UnsafeMutablePointer<Node>] = []
  private var free: UnsafeMutablePointer<Node>?

  init(elapsed: UInt64) {
    self.elapsed = elapsed
    lists.initialize(repeating: List(), count: Self.new + 1)
    occupied.initialize(repeating: 0, count: Self.levels)
  }

  func deallocate() {
    for chunk in chunks {
      chunk.deinitialize(count: Self.nodesPerChunk)
      chunk.deallocate()
    }
    lists.deallocate()
    occupied.deallocate()
  }

  // MARK: Lists

  func first(of list: Int) -> UnsafeMutablePointer<Node>? { lists[list].first }

  /// Empties a list, and returns what was its first timer.
  func takeAll(of list: Int) -> UnsafeMutablePointer<Node>? {
    let first = lists[list].first
    lists[list] = List()
    if list < Self.firing { occupied[list / 64] &= ~(1 << UInt64(list & 63)) }
    return first
  }

  /// Puts a timer into the slot of its deadline.
  func insert(_ node: UnsafeMutablePointer<Node>) {
    let deadline = node.pointee.deadline
    let difference = (elapsed ^ deadline) | 63
    let level = (63 - difference.leadingZeroBitCount) / 6
    let slot = Int(truncatingIfNeeded: deadline >> UInt64(level * 6)) & 63
    occupied[level] |= 1 << UInt64(slot)
    append(node, to: level * 64 + slot)
  }

  @inline(__always)
  func append(_ node: UnsafeMutablePointer<Node>, to list: Int) {
    node.pointee.list = list
    node.pointee.next = nil
    node.pointee.previous = lists[list].last
    if let last = lists[list].last { last.pointee.next = node } else { lists[list].first = node }
    lists[list].last = node
  }

  @inline(__always)
  func unlink(_ node: UnsafeMutablePointer<Node>) {
    let list = node.pointee.list
    let (previous, next) = (node.pointee.previous, node.pointee.next)
    if let previous { previous.pointee.next = next } else { lists[list].first = next }
    if let next { next.pointee.previous = previous } else { lists[list].last = previous }
    if list < Self.firing, lists[list].first == nil { occupied[list / 64] &= ~(1 << UInt64(list & 63)) }
  }

  /// The first slot that isn't empty, and when it is due. The levels are ordered, and so are the slots of
  /// each level.
  func nextExpiration() -> (deadline: UInt64, list: Int)? {
    for level in 0..<Self.levels where occupied[level] != 0 {
      let shift = UInt64(level * 6)
      let current = (elapsed >> shift) & 63
      let bits = occupied[level]
      let rotated = current == 0 ? bits : (bits >> current) | (bits << (64 - current))
      let slot = (UInt64(rotated.trailingZeroBitCount) + current) & 63
      let start = (elapsed >> (shift + 6)) << (shift + 6)
      var deadline = start + (slot << shift)
      if slot < current { deadline += 1 << (shift + 6) }
      return (deadline, level * 64 + Int(slot))
    }
    return nil
  }

  /// When timers are due, in milliseconds on libuv's clock: those that the wheel would come to first, as many
  /// as `limit`. Further ahead the wheel knows no order among timers that are due at about the same time.
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

  // MARK: Memory

  @inline(__always)
  mutating func takeNode() -> UnsafeMutablePointer<Node> {
    if free == nil { addChunk() }
    let node = free!
    free = node.pointee.next
    node.pointee.generation &+= 1
    return node
  }

  /// Takes a timer's completion and gives its memory back.
  @inline(__always)
  mutating func give(back node: UnsafeMutablePointer<Node>) -> Completion<Void> {
    let done = node.pointee.done.take()!
    node.pointee.generation &+= 1
    node.pointee.next = free
    free = node
    return done
  }

  @inline(never)
  private mutating func addChunk() {
    let chunk = UnsafeMutablePointer<Node>.allocate(capacity: Self.nodesPerChunk)
    chunk.initialize(repeating: Node(), count: Self.nodesPerChunk)
    chunks.append(chunk)
    for index in (0..<Self.nodesPerChunk).reversed() {
      (chunk + index).pointee.next = free
      free = chunk + index
    }
  }
}
