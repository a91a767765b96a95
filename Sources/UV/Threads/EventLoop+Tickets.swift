import CUV

/// An object that is answered by hand keeps the loop running; see ``RemoteTicket``.
extension EventLoop {
  /// A ticket for `object`, just made on this loop and retained, where none was at hand.
  // Sound: the ticket balances the retain when it takes the object out.
  func openFurtherTicket(_ object: Unmanaged<AnyObject>) -> RemoteTicket {
    if !ties.tickets.makeRoom() { endTicketTurn() }
    // An entry in the queue has it drained, and the tickets looked at after that.
    if ties.tickets.used == 0, microtasks.isEmpty { enqueue(.closure {}) }
    if let ticket = ties.tickets.takeNext() {
      ticket.reopen(for: object)
      return ticket
    }
    let ticket = RemoteTicket(object, executor)
    ties.tickets.add(ticket)
    return ticket
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

  /// Runs until ``stopKeeping(_:isKnown:)``, and tells `object` if it ends before.
  func keepRunning(for object: any Answerable) {
    assertOnLoop()
    beginWork()
    ties.waiting.append(object)
  }

  /// There is an answer for `object`, or none is needed any more.
  func stopKeeping(_ object: AnyObject, isKnown: Bool) {
    assertOnLoop()
    if !isKnown || ties.waiting.remove(object) { endWork() }
  }

  /// Does not run on for `object`, which has been cancelled; on the loop of this thread.
  package static func stopKeeping(_ object: any Answerable) { current?.stopKeeping(object, isKnown: true) }

  /// Has everything that is open told that no answer will come, as the loop ends.
  func forsakeAnswers() {
    endTicketTurn()
    let objects = ties.waiting.all
    nameForsaken(objects)
    for object in objects {
      stopKeeping(object, isKnown: true)
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

/// The objects that a loop runs on for, in the order in which they came.
struct WaitingObjects {
  private var objects: [ObjectIdentifier: (number: Int, object: any Answerable)] = [:]
  private var number = 0

  var all: [any Answerable] { objects.values.sorted { $0.number < $1.number }.map(\.object) }

  mutating func append(_ object: any Answerable) {
    number += 1
    objects[ObjectIdentifier(object)] = (number, object)
  }

  /// Whether it was there.
  mutating func remove(_ object: AnyObject) -> Bool {
    objects.removeValue(forKey: ObjectIdentifier(object)) != nil
  }
}
