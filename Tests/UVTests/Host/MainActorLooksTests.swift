#if os(Linux)
import Testing
import UVTestSupport

@testable import UV

/// The looks of a run in a job of the main actor at its tasks, counted: which look reports which task.
@Suite struct MainActorLooksTests {
  /// What happens before each look, from 1.
  enum Course: String, CaseIterable {
    case quiet, busy, busyOnce, almostQuiet, late, interrupted, busyAndInterrupted, ended

    /// Whether the loop runs a task before the look.
    fileprivate func isBusy(_ look: Int) -> Bool {
      switch self {
      case .quiet, .late, .interrupted, .ended: false
      case .busy, .busyAndInterrupted: true
      case .busyOnce: look == 5
      // Eight quiet looks in a row are too few to be called quiet, since the first of them counts from the busy one.
      case .almostQuiet: look % 8 == 0
      }
    }

    /// Whether the task waits for what isn't the loop's.
    fileprivate func isElsewhere(_ look: Int) -> Bool {
      switch self {
      case .late: look >= 20
      case .interrupted: look != 7
      case .busyAndInterrupted: look != 20 && look != 50
      case .ended: look <= 8
      default: true
      }
    }

    /// The look that reports the task; nil if none does.
    fileprivate var reported: Int? {
      switch self {
      case .quiet: 9
      case .busy, .almostQuiet: 41
      case .busyOnce: 13
      case .late: 28
      case .interrupted: 16
      // Neither stretch is long enough, and together they don't count.
      case .busyAndInterrupted, .ended: nil
      }
    }
  }

  /// What a task waits for that isn't the loop's.
  private final class Gate {
    var continuation: UnsafeContinuation<Void, Never>?

    nonisolated(nonsending) func wait() async { await withUnsafeContinuation { continuation = $0 } }

    func open() { continuation.take()?.resume() }
  }

  /// A task that waits for the gate or for the loop, by turns.
  private final class Traveller {
    let gate = Gate()
    var isHome = true
    var isOver = false
    private(set) var sleep = PendingRequest()

    nonisolated(nonsending) func run(_ loop: EventLoop) async {
      while !isOver {
        if isHome { await atHome(loop) } else { await gate.wait() }
      }
    }

    private nonisolated(nonsending) func atHome(_ loop: EventLoop) async {
      let asleep = Request<Void>(loop) { [self] done in
        sleep = loop.sleep(for: .untilCancelled, done)
        return sleep
      }
      try? await asleep.value
    }

    /// Where it waits from the next turn on.
    func go(elsewhere: Bool) {
      if isHome != elsewhere, !isOver { return }
      isHome = !elsewhere
      sleep.cancel()
      gate.open()
    }
  }

  @Test(arguments: Course.allCases)
  func `A task that waits elsewhere is reported once it has been seen often enough`(course: Course)
    async throws
  {
    let reports = Log<Int>()
    try await withCallbackLoop { loop in
      let traveller = Traveller()
      let task = loop.spawn { await traveller.run(loop) }
      // It waits for the loop, and is never reported.
      let other = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      var looks = MainActorLooks()
      func end() {
        traveller.isOver = true
        traveller.go(elsewhere: true)
        other.cancel()
      }
      func look(_ number: Int) {
        if number > 60 { return end() }
        // A job, since a task that comes back runs.
        let goes = course.isElsewhere(number) == traveller.isHome
        traveller.go(elsewhere: course.isElsewhere(number))
        if course.isBusy(number), !goes { loop.spawn {} }
        loop.sleep(for: .zero) { _ in
          loop.sleep(for: .zero) { _ in
            if let found = looks.look(at: loop) {
              #expect(found === task.task)
              reports.append(number)
            }
            look(number + 1)
          }
        }
      }
      loop.sleep(for: .zero) { _ in look(1) }
    }
    #expect(reports.values == (course.reported.map { [$0] } ?? []), "\(course)")
  }
}
#endif
