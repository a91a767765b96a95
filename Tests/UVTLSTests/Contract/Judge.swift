import UV
import UVTestSupport

/// The contract itself: what must be true after a run, on every transport.
struct Judge {
  let combination: Combination
  let evidence: Evidence
  let report: Peer.Report
  private let content: Content

  init(_ combination: Combination, _ evidence: Evidence, _ report: Peer.Report) {
    self.combination = combination
    self.evidence = evidence
    self.report = report
    content = Content(combination)
  }

  /// What is wrong.
  func problems() -> [String] {
    var problems: [String] = []
    func expect(_ isTrue: Bool, _ rule: @autoclosure () -> String) { if !isTrue { problems.append(rule()) } }
    let all = content.before + content.tested
    let tested = evidence.outcomes(of: .tested)
    expect(tested.count == 1, "a write has one outcome, not \(tested.count)")
    guard tested.count == 1 else { return problems }
    let (code, isSuccess) = (tested[0].code, tested[0].code == nil)
    if isSuccess, let count = tested[0].count {
      expect(count == content.tested.count, "a file's outcome counts its bytes: \(count)")
    }

    if combination.endsStream {
      // Nothing is certain but the order, and what was promised.
      let isPrefix = all.starts(with: report.bytes)
      if combination.event != .peerResets {
        expect(isPrefix, "the peer reads the first bytes, and nothing else: \(difference(all))")
        expect(
          !isSuccess || report.bytes == all, "success means that all bytes arrive: \(report.bytes.count)")
        if !content.before.isEmpty, evidence.isSuccess(.before) {
          expect(report.bytes.count >= content.before.count, "the write before succeeded, and is cut")
        }
        if combination.transport.isTLS {
          // A write of which nothing has left cuts nothing.
          let isWhole = report.bytes == all || !isSuccess && report.bytes == content.before
          expect(!report.isClean || isWhole, "a cut stream has no clean end")
        }
      }
      let codes: [UVError.Code] =
        switch combination.event {
        case .close, .loopShutsDown: [.cancelled]
        case _ where combination.endsByTimeout: [.timedOut]
        default: [.connectionReset, .brokenPipe]
        }
      expect(
        isSuccess || codes.contains(code!) || combination.isRefused && code == .busy,
        "the error says what has happened: \(code!)")
      if combination.state == .begun || combination.state == .blocked {
        expect(!isSuccess, "there was no room for this write")
      } else if combination.state == .notBegun, combination.payload != .file, combination.leavesAtClose {
        expect(isSuccess && report.bytes == all, "what there is room for leaves before the stream closes")
      }
      if combination.event != .loopShutsDown {
        expect(evidence.outcomes(of: .after).first?.code != nil, "a stream that has ended takes no more")
      }
      return problems
    }

    // The stream goes on.
    let isTaken: Bool
    if combination.isRefused {
      expect(code == .busy, "a file doesn't wait behind others: \(code.map { "\($0)" } ?? "ok")")
      isTaken = false
    } else if combination.givesUp, !combination.isTooLate {
      let expected: UVError.Code = combination.event == .timeout ? .timedOut : .cancelled
      expect(code == expected, "the outcome is that it was given up: \(code.map { "\($0)" } ?? "ok")")
      isTaken = combination.state == .begun || combination.state == .inFlight
    } else {
      expect(isSuccess, "the write succeeds: \(code.map { "\($0)" } ?? "ok")")
      isTaken = true
    }
    let after = combination.isLast ? [] : Array(Content.after)
    if combination.payload == .file, combination.givesUp, !combination.isTooLate, !combination.isRefused {
      // As documented, a file that is given up stops where it is.
      expect(report.bytes.suffix(after.count) == after[...], "what was written later arrives")
      expect(
        content.tested.starts(with: report.bytes.dropLast(after.count)), "the first bytes of the file arrive")
    } else {
      let expected = content.before + (isTaken ? content.tested : []) + after
      expect(
        report.bytes == expected,
        "the peer reads \(isTaken ? "all" : "none") of the write: \(difference(expected))")
    }
    expect(report.isClean || combination.mayEndWithoutGoodbye, "the stream ends cleanly")
    for name in [Evidence.Name.before, .after, .shutdown] {
      if name == .before && content.before.isEmpty || name == .after && after.isEmpty { continue }
      if name == .shutdown && combination.event == .letGo { continue }
      expect(evidence.isSuccess(name), "\(name) succeeds: \(evidence.outcomes(of: name))")
    }
    if combination.event == .readTimeout {
      expect(
        evidence.outcomes(of: .reading).first?.code == .timedOut, "the reader hears that its time is over")
    }
    if combination.event == .peerHalfCloses {
      expect(evidence.isSuccess(.reading), "the peer's end is read")
    }
    return problems
  }

  /// Where what was read begins to differ.
  private func difference(_ expected: [UInt8]) -> String {
    let place = zip(expected, report.bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return "\(report.bytes.count) bytes of \(expected.count), "
      + (place.map { "different from byte \($0) on" } ?? "the same as far as they go")
  }
}
