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
