import CUV

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
  @inline(__always)
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

/// An object that is answered by hand keeps the loop running; see ``RemoteTicket``.
extension EventLoop {
  /// A ticket for `object`, just made on this loop, where none was at hand.
  func openFurtherTicket(_ object: any Answerable) -> RemoteTicket {
    if isOutsideTurn { return RemoteTicket(object, of: self) }
    if !ties.tickets.makeRoom() { endTicketTurn() }
    // An entry in the queue has it drained, and the tickets looked at after that.
    if ties.tickets.used == 0, microtasks.isEmpty { enqueue(.closure {}) }
    if let ticket = ties.tickets.takeNext() {
      ticket.reopen(for: object)
      return ticket
    }
    let ticket = RemoteTicket(object, telling: object, executor)
    ties.tickets.add(ticket)
    return ticket
  }

  /// Whether no turn is under way at whose end somebody would look for what has been lost. So the pool, which would keep
  /// a lost ticket until then, isn't used.
  private var isOutsideTurn: Bool {
    let state = microtasks.state
    return !work.isRunning && !state.pointee.isAttended && !state.pointee.isDraining
  }

  /// The turn has ended: what is open from now on is open for longer, and keeps the loop running.
  func endTicketTurn() {
    assertOnLoop()
    let lost = ties.tickets.endTurn { keep($0) }
    for object in lost { RemoteTicket.forsake(object) }
  }

  private func keep(_ ticket: RemoteTicket) {
    let answerable = ticket.answerable
    if answerable?.keepsLoopRunning != false { ticket.keep(self, answerable) }
  }

  /// Runs on for those of `tickets` that are open. They were opened on another thread, for this loop.
  func keep(_ tickets: consuming [RemoteTicket]) {
    for index in tickets.indices where tickets[index].isOpen {
      if isKnownUniquelyReferenced(&tickets[index]) {
        RemoteTicket.forsake(tickets[index].takeObject())
      } else {
        keep(tickets[index])
      }
    }
  }

  /// Runs until ``stopKeeping(_:)``, and notifies `object` if it ends before.
  func keepRunning(for object: (any Answerable)?) {
    assertOnLoop()
    beginWork()
    if let object { ties.waiting.append(object) }
  }

  /// There is an answer for `object`, or none is needed any more.
  func stopKeeping(_ object: (any Answerable)?) {
    assertOnLoop()
    if object.map({ ties.waiting.remove($0) }) != false { endWork() }
  }

  /// Does not run on for `object`, which has been cancelled; on the loop of this thread.
  package static func stopKeeping(_ object: any Answerable) { current?.stopKeeping(object) }

  /// Notifies everything that is open that no answer will come, as the loop ends.
  func forsakeAnswers() {
    endTicketTurn()
    let objects = ties.waiting.all
    nameForsaken(objects)
    for object in objects {
      stopKeeping(object)
      object.forsake()
    }
  }

  private func nameForsaken(_ objects: [any Answerable]) {
    #if DEBUG
    let counts = Dictionary(grouping: objects.compactMap(\.nameIfForsaken)) { $0 }.mapValues(\.count)
    if counts.isEmpty { return }
    let names = counts.sorted { $0.key < $1.key }.map { $0.value == 1 ? $0.key : "\($0.value) × \($0.key)" }
    printToStandardError(
      "an event loop has ended before a result came for: \(names.joined(separator: ", "))")
    #endif
  }
}

/// The objects that a loop runs on for. Each knows its place.
struct WaitingObjects {
  private var objects: [(number: Int, object: any Answerable)] = []
  private var number = 0

  /// All of them, in the order in which they came.
  var all: [any Answerable] { objects.sorted { $0.number < $1.number }.map(\.object) }

  mutating func append(_ object: any Answerable) {
    assert(object.waitingPlace < 0, "a loop runs on for an object once")
    number += 1
    object.waitingPlace = Int32(objects.count)
    objects.append((number, object))
  }

  /// The last takes its place.
  ///
  /// - Returns: Whether it was there.
  mutating func remove(_ object: any Answerable) -> Bool {
    let place = Int(object.waitingPlace)
    guard place >= 0, place < objects.count, objects[place].object === object else { return false }
    object.waitingPlace = -1
    let last = objects.removeLast()
    if place < objects.count {
      last.object.waitingPlace = Int32(place)
      objects[place] = last
    }
    return true
  }
}
