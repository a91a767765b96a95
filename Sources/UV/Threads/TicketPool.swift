/// The tickets that were opened in this turn of a loop, and those that can be used again.
///
/// Most promises are resolved in the turn in which they were made. Their tickets cost no allocation, and
/// libuv's loop hears nothing of them: only what is open when the turn ends is kept count of, and leaves the
/// pool until it has been answered.
struct TicketPool {
  /// How many there can be; a turn that has more of them open at a time begins anew.
  static let capacity = 1024

  private var tickets: UnsafeMutablePointer<RemoteTicket>?
  private(set) var count = 0
  /// How many have been handed out in this turn; the others are not in use, or were left in use by the turn
  /// before.
  private(set) var used = 0

  /// A ticket that is not in use, if one is at hand: the last that was handed out, or the next from earlier
  /// turns.
  @inline(__always)
  mutating func takeUnused() -> RemoteTicket? {
    if used == 0 { return nil }
    // Sound: `used` is never more than `count`, which is the number of tickets in the memory.
    assert(used <= count && count <= Self.capacity)
    let tickets = tickets.unsafelyUnwrapped
    let last = used &- 1
    if !tickets[last].isOpen, isKnownUniquelyReferenced(&tickets[last]) { return tickets[last] }
    return takeNext()
  }

  /// The next one of those that were not handed out in this turn.
  @inline(__always)
  mutating func takeNext() -> RemoteTicket? {
    guard used < count else { return nil }
    // Sound: as above.
    assert(used < count && count <= Self.capacity)
    let tickets = tickets.unsafelyUnwrapped
    if !isKnownUniquelyReferenced(&tickets[used]) { return nil }
    used &+= 1
    return tickets[used &- 1]
  }

  /// The object of the ticket that was handed out last, if nobody holds that any more.
  mutating func takeLost() -> AnyObject? {
    guard let tickets, used > 0 else { return nil }
    let last = used - 1
    guard tickets[last].isOpen, isKnownUniquelyReferenced(&tickets[last]) else { return nil }
    return tickets[last].takeObject()
  }

  /// Looks through the tickets that were handed out in this turn for those that can be used again. It does so
  /// when all have been handed out, and then now and then only, as it looks at each of them.
  ///
  /// - Returns: Whether there is room.
  mutating func makeRoom() -> Bool {
    guard used == count, used & (used &- 1) == 0, let tickets else { return true }
    var kept = 0
    for index in 0..<used {
      if !tickets[index].isOpen, isKnownUniquelyReferenced(&tickets[index]) { continue }
      swap(&tickets[kept], &tickets[index])
      kept += 1
    }
    used = kept
    return used <= Self.capacity / 2 || count < Self.capacity
  }

  /// Adds a ticket that was just made, as the last in use.
  mutating func add(_ ticket: RemoteTicket) {
    assert(used < Self.capacity, "makeRoom() comes first")
    if tickets == nil { tickets = .allocate(capacity: Self.capacity) }
    let tickets = tickets!
    if used < count {
      // In place of one that somebody still holds.
      tickets[used] = ticket
    } else {
      (tickets + count).initialize(to: ticket)
      count += 1
    }
    used += 1
  }

  /// Takes a ticket that has been answered, to be used again once nobody else holds it.
  mutating func takeBack(_ ticket: RemoteTicket) {
    guard count < Self.capacity, let tickets else { return }
    (tickets + count).initialize(to: ticket)
    count += 1
  }

  /// Takes out what is open: `kept` is called with each that somebody holds, and `lost` has the objects of
  /// the others.
  mutating func endTurn(_ kept: (RemoteTicket) -> Void) -> [AnyObject] {
    guard let tickets else { return [] }
    var lost: [AnyObject] = []
    var index = used
    used = 0
    while index > 0 {
      index -= 1
      if !tickets[index].isOpen { continue }
      if isKnownUniquelyReferenced(&tickets[index]) {
        if let object = tickets[index].takeObject() { lost.append(object) }
      } else {
        let ticket = (tickets + index).move()
        count -= 1
        if index < count { (tickets + index).moveInitialize(from: tickets + count, count: 1) }
        kept(ticket)
      }
    }
    return lost.isEmpty ? lost : lost.reversed()
  }

  func deallocate() {
    tickets?.deinitialize(count: count)
    tickets?.deallocate()
  }
}
