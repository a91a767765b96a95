/// What is to be answered by hand keeps the loop running; see ``RemoteTicket``.
extension EventLoop {
  /// A ticket for `object`, just made on this loop and retained, where none was at hand.
  func openFurtherTicket(_ object: Unmanaged<AnyObject>) -> RemoteTicket {
    if !tickets.makeRoom() { endTicketTurn() }
    // An entry in the queue has it drained, and the tickets looked at after that.
    if tickets.used == 0, microtasks.isEmpty { enqueue(.closure {}) }
    if let ticket = tickets.takeNext() {
      ticket.reopen(for: object)
      return ticket
    }
    let ticket = RemoteTicket(object, executor)
    tickets.add(ticket)
    return ticket
  }

  /// The turn has ended: what is open from now on is open for longer, and keeps the loop running.
  func endTicketTurn() {
    let lost = tickets.endTurn { ticket in
      if ticket.answerable?.keepsLoopRunning != false { ticket.keep(self) }
    }
    for object in lost { RemoteTicket.forsake(object) }
  }

  /// Runs until ``stopKeeping(_:isKnown:)``, and tells `object` if it ends before.
  func keepRunning(for object: any Answerable) {
    beginWork()
    waiting.append(object)
  }

  /// There is an answer for `object`, or none is needed any more.
  func stopKeeping(_ object: AnyObject, isKnown: Bool) {
    if !isKnown || waiting.remove(object) { endWork() }
  }

  /// Does not run on for `object`, which has been cancelled; on the loop of this thread.
  package static func stopKeeping(_ object: any Answerable) { current?.stopKeeping(object, isKnown: true) }

  /// Has everything that is open told that no answer will come, as the loop ends.
  func forsakeAnswers() {
    endTicketTurn()
    for object in waiting.all {
      stopKeeping(object, isKnown: true)
      object.forsake()
    }
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
