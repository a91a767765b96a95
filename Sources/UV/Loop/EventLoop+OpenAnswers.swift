/// What is to be answered by hand keeps the loop running; see ``OpenAnswers``.
extension EventLoop {
  /// Notes on the loop of this thread that somebody is to answer for `object`, and says where.
  ///
  /// - Returns: What whoever may answer is to hold.
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

  /// The turn has ended: what is open from now on is open for longer.
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

  /// Has everything that is open told that no answer will come, as the loop ends.
  func forsakeAnswers() {
    answers.right?.answers?.forsakeAll()
    for open in answers.kept { open.forsakeAll() }
  }
}

/// What a loop knows of its open answers.
struct LoopAnswers {
  /// The right that is shared by all that is opened in this turn.
  var right: AnswerRight?
  /// One that nobody holds, of which everything is closed.
  var spare: AnswerRight?
  /// What was open at the end of its turn, and keeps the loop running.
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
