import CUV

/// The tasks of a loop that have not ended, found by the runtime's task that runs each of them.
///
/// This is a hash table of our own. A task-local value would be slower to find, and would cost each task
/// memory and time.
struct TaskTable {
  private struct Slot {
    var key: UnsafeMutableRawPointer?
    // Sound: a task is taken out when it ends, and until then its closure owns it.
    unowned(unsafe) var task: LoopTaskBase?
    // Where the task was spawned, for a signal handler that can read only plain memory; see `cuv_task_slot`.
    var file: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    var line: UInt32 = 0
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var bits: UInt = 4
  /// The part that a signal handler on the loop's thread may read, while the loop is watched for stalls.
  private var published: UnsafeMutablePointer<cuv_task_places>?
  private(set) var count = 0
  /// The names of tasks that have one.
  var names: [ObjectIdentifier: String] = [:]
  /// The actor that the tasks belong to, once there is a task.
  var actor: LoopActor?
  /// Looks at the tasks of a run that is called in a job of the main actor.
  var mainActorWatch = PendingRequest()

  var isEmpty: Bool { count == 0 }

  init() { slots = Self.makeSlots(1 << bits) }

  func deallocate() { slots.deallocate() }

  private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(key: nil, task: nil), count: count)
    return slots
  }

  private var mask: Int { (1 << bits) - 1 }

  /// The slot that a key would have if there were no other keys.
  @inline(__always)
  private func home(of key: UnsafeMutableRawPointer) -> Int {
    Int((UInt(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
  }

  /// The slot that a key has, or the free slot that it would get.
  @inline(__always)
  private func index(of key: UnsafeMutableRawPointer) -> Int {
    var index = home(of: key)
    while let other = slots[index].key, other != key { index = (index + 1) & mask }
    return index
  }

  /// The loop's task that the runtime's task `key` runs; nil if that isn't one of the loop's.
  @inline(__always)
  func find(_ key: UnsafeMutableRawPointer?) -> LoopTaskBase? {
    guard let key else { return nil }
    return slots[index(of: key)].task
  }

  mutating func insert(_ task: LoopTaskBase, _ key: UnsafeMutableRawPointer) {
    assert(find(key) == nil, "a task begins twice")
    beginChange()
    defer { endChange() }
    if count * 4 > mask * 3 { grow() }
    let file = task.origin.file
    slots[index(of: key)] = Slot(
      key: key, task: task, file: file.hasPointerRepresentation ? file.utf8Start : nil,
      length: file.hasPointerRepresentation ? UInt32(file.utf8CodeUnitCount) : 0,
      line: UInt32(clamping: task.origin.line))
    count += 1
  }

  mutating func remove(_ key: UnsafeMutableRawPointer) {
    beginChange()
    defer { endChange() }
    var hole = index(of: key)
    assert(slots[hole].key == key, "a task ends that hasn't begun")
    count -= 1
    // The entries that follow move up, except when an entry would land before the slot where the search for
    // it begins.
    var next = (hole + 1) & mask
    while let other = slots[next].key {
      if (next - home(of: other)) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = Slot(key: nil, task: nil)
  }

  // MARK: For a signal handler

  /// Lets a signal handler on the loop's thread read the table from now on; nil ends that.
  mutating func publish(to tasks: UnsafeMutablePointer<cuv_task_places>?) {
    beginChange()
    endChange(slots: nil)
    published = tasks
    beginChange()
    endChange()
  }

  @inline(__always)
  private func beginChange() { if let published { cuv_task_places_begin_change(published) } }

  @inline(__always)
  private func endChange() { endChange(slots: slots) }

  @inline(__always)
  private func endChange(slots: UnsafeMutablePointer<Slot>?) {
    if let published { cuv_task_places_end_change(published, slots, UInt64(bits)) }
  }

  private mutating func grow() {
    let (old, oldCount) = (slots, 1 << bits)
    bits += 1
    slots = Self.makeSlots(1 << bits)
    for index in 0..<oldCount {
      if let key = old[index].key { slots[self.index(of: key)] = old[index] }
    }
    old.deallocate()
  }

  /// Calls `body` with each task, in no order.
  func forEach(_ body: (LoopTaskBase) -> Void) {
    for index in 0...mask {
      if let task = slots[index].task { body(task) }
    }
  }

  /// All tasks, in the order in which they were spawned. Their places depend on their addresses.
  private var inOrder: [LoopTaskBase] {
    (0...mask).compactMap { index in slots[index].key.map { (cuv_task_number($0), slots[index].task!) } }
      .sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Cancels the tasks, but for those that are shielded.
  func cancelAll() {
    let all = inOrder
    // They are waited for.
    for task in all { task.keepsLoopRunning = true }
    let tasks = all.filter { !$0.isShielded }
    for task in tasks { task.cancel() }
    // Those that had been cancelled before, and those that cannot hear of it.
    for task in tasks { task.leave() }
  }

  /// Has the loop go without those that haven't ended.
  func leaveAll() {
    for task in inOrder { task.leaveAnyway() }
  }
}

extension EventLoop {
  /// The task of this loop that is calling; nil if another task is.
  package var callingTask: LoopTaskBase? { currentTask }

  /// The loop whose task is calling; nil if a child task is, or a task that no loop started.
  @usableFromInline
  static var ofCallingTask: EventLoop? {
    guard let loop = current, loop.currentTask != nil else { return nil }
    return loop
  }

  /// The task of this loop that is calling. It is nil for a child task, and for a task that no loop started.
  var currentTask: LoopTaskBase? {
    @inline(__always) get { tasks.find(cuv_current_task()) }
  }

  /// The same for an iterator that keeps its task, which is looked up only when another one calls.
  ///
  /// - Returns: Whether the calling task has been cancelled.
  @usableFromInline
  func findCurrentTask(_ task: inout LoopTaskBase?) -> Bool {
    let current = cuv_current_task()
    if task?.isRun(by: current) != true { task = tasks.find(current) }
    return cuv_task_is_cancelled(current)
  }

  /// The same for a task that is about to wait. It is nil if the calling task has been cancelled, even if
  /// that is a child task: the wait then fails. If the turn's budget is used up, a cancelled task counts as
  /// one of others instead, so that it gives way before it gets the error.
  @usableFromInline
  func currentTaskUnlessCancelled() -> LoopTaskBase?? {
    let task = cuv_current_task()
    if cuv_task_is_cancelled(task) { return spend(1) ? .some(nil) : nil }
    return .some(tasks.find(task))
  }
}
