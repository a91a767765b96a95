import Synchronization

/// Says on standard error how far a run has come: on a terminal in one line that is replaced, and
/// elsewhere in a line for each case, but in no more than one every few seconds, so that what is
/// soon done says nothing. A case that takes minutes has a line for each of them.
public final class Progress: Sendable {
  private let isShown: Bool
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let started = ProcessUsage.now().wall
  private let lastLine: Mutex<(time: UInt64, subject: Substring)>

  /// Nanoseconds between lines, where there is no terminal; the second between lines about the same case.
  private static let (interval, longInterval) = (4_000_000_000 as UInt64, 60_000_000_000 as UInt64)

  public init(isShown: Bool = true) {
    self.isShown = isShown
    lastLine = Mutex((started, ""))
  }

  /// Says what is under way. `share` (0 to 1) is how much of the work is done. What stands before a
  /// colon and a space in `text` is the case.
  public func show(_ text: String, share: Double) {
    guard isShown else { return }
    let now = ProcessUsage.now().wall
    let elapsed = Double(now - started) / 1e9
    let left = share > 0.02 ? ", \(Int(elapsed / share - elapsed)) s left" : ""
    if isTerminal {
      complain("\r\u{1B}[K\(Int(share * 100))%  \(text)\(left)")
    } else {
      let subject = text[..<(text.ranges(of: ": ").last?.lowerBound ?? text.endIndex)]
      let line: Substring? = lastLine.withLock { last in
        let isNew = subject != last.subject
        guard now - last.time >= (isNew ? Self.interval : Self.longInterval) else { return nil }
        last = (now, subject)
        return isNew ? subject : text[...]
      }
      if let line { complain("\(Int(share * 100))%  \(line)\(left)\n") }
    }
  }

  /// Takes the line of a terminal away.
  public func clear() { if isShown, isTerminal { complain("\r\u{1B}[K") } }
}
