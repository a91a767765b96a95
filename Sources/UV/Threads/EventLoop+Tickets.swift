import CUV

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
