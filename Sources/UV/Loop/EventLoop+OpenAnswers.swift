/// An answer that the program gives by hand keeps the loop running until then; see ``OpenAnswers``.
extension EventLoop {
  /// Notes on the loop of this thread that somebody will answer `object`, and stores in `place` where that is
  /// noted.
  ///
  /// - Returns: The right to answer. Everyone who may answer holds it.
  package static func open(_ object: any Answerable, _ place: inout AnswerPlace) -> AnswerRight {
    CurrentLoop.open(object, &place) ?? AnswerRight(nil)
  }

  @inline(__always)
  func open(_ object: any Answerable, _ place: inout AnswerPlace) -> AnswerRight {
    if let right = answers.right, right.answers.unsafelyUnwrapped.add(object, &place) { return right }
    return openWithNewRight(object, &place)
  }

  @inline(never)
  private func openWithNewRight(_ object: any Answerable, _ place: inout AnswerPlace) -> AnswerRight {
    var capacity = 4
    if let full = answers.right?.answers {
      keep(full)
      capacity = min(full.capacity * 8, 1024)
    } else {
      if answers.turnEnd == nil { answers.turnEnd = AnswerTurnEnd(self) }
      enqueueAfterMicrotasks(answers.turnEnd!)
    }
    let right = answers.spare.take() ?? AnswerRight(OpenAnswers(executor, capacity: capacity))
    answers.right = right
    _ = right.answers!.add(object, &place)
    return right
  }

  /// Called when the turn ends. Answers that are still open from now on keep the loop running.
  fileprivate func endAnswerTurn() {
    guard var right = answers.right.take(), let open = right.answers else { return }
    if open.count > 0 {
      keep(open)
    } else if isKnownUniquelyReferenced(&right) {
      answers.spare = right
    }
  }

  private func keep(_ open: OpenAnswers) {
    open.index = answers.kept.count
    answers.kept.append(open)
    beginWork()
  }

  func endKeeping(_ closed: OpenAnswers) {
    guard let index = closed.index.take() else { return }
    answers.kept.swapAt(index, answers.kept.count - 1)
    answers.kept.removeLast()
    if index < answers.kept.count { answers.kept[index].index = index }
    endWork()
  }

  /// Tells all open objects that no answer will come, because the loop ends.
  func forsakeAnswers() {
    answers.right?.answers?.forsakeAll()
    for open in answers.kept { open.forsakeAll() }
  }
}

/// The open answers of a loop.
struct LoopAnswers {
  /// The right that all answers share which are opened in this turn.
  var right: AnswerRight?
  /// A right that nobody holds any more and whose answers are all closed; it is used again.
  var spare: AnswerRight?
  /// The answers that were still open at the end of their turn, and keep the loop running.
  var kept: [OpenAnswers] = []
  var turnEnd: AnswerTurnEnd?
}

/// Called at the end of a turn in which something was opened.
final class AnswerTurnEnd: Microtask {
  // Sound: the loop owns this, and runs it.
  private unowned(unsafe) let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  override func run() { loop.endAnswerTurn() }
}
