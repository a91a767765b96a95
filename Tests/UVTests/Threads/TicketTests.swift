import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// The ways of a ticket: how it is opened, who answers or loses it, and where.
@Suite struct TicketTests {
  /// An object that is answered by hand. It notes what it hears, and whether that is on the loop's thread.
  private final class Question: Answerable {
    var waitingPlace: Int32 = -1
    var keepsLoopRunning = true
    let number: Int
    let loop: EventLoop
    let log: Log<String>

    init(_ number: Int = 1, _ loop: EventLoop, _ log: Log<String>) {
      (self.number, self.loop, self.log) = (number, loop, log)
    }

    func note(_ word: String) {
      log.append("\(word) \(number)\(loop.executor.isOnLoop ? "" : " elsewhere")")
      // Whoever hears of its end is none of those that the loop runs on for.
      if word == "forsaken", waitingPlace >= 0 { log.append("still waiting") }
    }

    func forsake() { note("forsaken") }
  }

  /// How a ticket is opened.
  enum Opening: String, CaseIterable { case inTurn, outOfTurn, kept }
  /// What becomes of it.
  enum End: String, CaseIterable {
    case answered, answeredLater, answeredElsewhere, claimed, lost, lostLater, lostElsewhere, loopEnds

    fileprivate var heard: [String] {
      switch self {
      case .answered, .answeredLater, .answeredElsewhere, .claimed: ["answered 1"]
      default: ["forsaken 1"]
      }
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var opening: Opening
    var end: End
    static let all = Opening.allCases.flatMap { opening in
      End.allCases.map { Row(opening: opening, end: $0) }
    }
    var testDescription: String { "\(opening), \(end)" }
  }

  private static func open(_ question: Question, _ opening: Opening) -> RemoteTicket {
    switch opening {
    case .inTurn, .outOfTurn: RemoteTicket.open(question)
    case .kept: RemoteTicket(question, of: question.loop)
    }
  }

  private static func answer(_ object: AnyObject?) { (object as! Question).note("answered") }

  /// Ends what `box` holds. Nobody else holds it.
  private static func end(_ box: Box<RemoteTicket>, _ end: End, _ loop: EventLoop) {
    switch end {
    case .answered:
      answer(box.value!.takeNow())
      #expect(box.value!.takeNow() == nil)
      box.value = nil
    case .answeredLater:
      loop.sleep(for: .zero) { _ in
        answer(box.value!.takeNow())
        box.value = nil
      }
    case .claimed:
      let (object, isHere) = box.value!.claimNow()
      #expect(isHere && box.value!.claimNow().object == nil && !box.value!.isUnclaimed)
      answer(object)
      box.value = nil
    case .answeredElsewhere:
      DispatchQueue.global().async {
        let ticket = box.value!
        box.value = nil
        #expect(ticket.takeNow() == nil && !ticket.isHere)
        #expect(ticket.isUnclaimed && ticket.claim() && !ticket.claim())
        ticket.complete { answer($0) }
      }
    case .lost: box.value = nil
    case .lostLater: loop.sleep(for: .zero) { _ in box.value = nil }
    case .lostElsewhere: DispatchQueue.global().async { box.value = nil }
    case .loopEnds: break
    }
  }

  @Test(arguments: Row.all)
  func `Each object is notified once, on its loop's thread, and keeps the loop until then`(row: Row)
    async throws
  {
    let log = Log<String>()
    let box = Box<RemoteTicket>(nil)
    try await withThread {
      let loop = try EventLoop()
      func begin() {
        box.value = Self.open(Question(1, loop, log), row.opening)
        Self.end(box, row.end, loop)
      }
      if row.opening == .outOfTurn { begin() }
      loop.runCallbacks { loop in
        if row.opening != .outOfTurn { begin() }
        if row.end == .loopEnds { loop.sleep(for: .milliseconds(1)) { _ in loop.stop() } }
      }
      if row.end == .loopEnds { #expect(log.values == []) }
      loop.shutdown()
      #expect(log.values == row.end.heard)
      #expect(loop.statistics.isIdle)
      // After the end of the loop nobody can answer any more.
      #expect(box.value?.isUnclaimed != true)
      box.value = nil
    }
  }

  @Test func `What was lost in a turn is notified in the order in which it was made`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      for number in 1...5 { _ = RemoteTicket.open(Question(number, loop, log)) }
      #expect(log.values == [])
    }
    #expect(log.values == (1...5).map { "forsaken \($0)" })
  }

  @Test func `An object whose ticket nobody has kept is notified before its maker goes on`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      RemoteTicket.open(Question(1, loop, log)) { _ in }
      #expect(log.values == ["forsaken 1"])
      var kept: RemoteTicket?
      RemoteTicket.open(Question(2, loop, log)) { kept = $0 }
      #expect(log.values == ["forsaken 1"])
      RemoteTicket.reportLost(RemoteTicket.open(Question(3, loop, log)))
      #expect(log.values == ["forsaken 1", "forsaken 3"])
      Self.answer(kept?.takeNow())
    }
    #expect(log.values == ["forsaken 1", "forsaken 3", "answered 2"])
  }

  @Test func `A ticket that has been answered and let go of is used again, in each turn`() async throws {
    let log = Log<String>()
    let later = Box<RemoteTicket>(nil)
    try await withCallbackLoop { loop in
      func use() -> ObjectIdentifier {
        let ticket = RemoteTicket.open(Question(1, loop, log))
        Self.answer(ticket.takeNow())
        return ObjectIdentifier(ticket)
      }
      weak var first: RemoteTicket?
      do {
        let ticket = RemoteTicket.open(Question(1, loop, log))
        first = ticket
        Self.answer(ticket.takeNow())
      }
      #expect(first != nil)
      for _ in 0..<3 { #expect(first.map { ObjectIdentifier($0) } == use()) }
      // One that was open for longer than a turn comes back with its answer.
      later.value = RemoteTicket.open(Question(2, loop, log))
      weak var long = later.value
      loop.sleep(for: .zero) { _ in
        DispatchQueue.global().async {
          let ticket = later.value!
          later.value = nil
          ticket.complete { Self.answer($0) }
        }
      }
      func look() {
        if log.values.last != "answered 2" { return _ = loop.sleep(for: .milliseconds(1)) { _ in look() } }
        #expect(long != nil)
      }
      look()
    }
    #expect(log.values.last == "answered 2")
  }

  @Test func `An object that needs no answer any more keeps no loop`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      var ticket: RemoteTicket?
      loop.runCallbacks { loop in
        let question = Question(1, loop, log)
        question.keepsLoopRunning = false
        ticket = RemoteTicket.open(question)
      }
      #expect(log.values == [])
      #expect(ticket?.current != nil)
      Self.answer(ticket?.takeNow())
      loop.shutdown()
    }
    #expect(log.values == ["answered 1"])
  }
}
