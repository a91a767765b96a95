extension LoopSnapshot: CustomStringConvertible {
  /// The snapshot as a text for people, with a line for each entry and how long it has lasted.
  public var description: String {
    var lines = ["\(name.isEmpty ? "event loop" : name): \(state)"]
    if microtaskCount > 0 { lines[0] += ", \(microtaskCount.grouped) microtasks wait" }
    add(tasks, "tasks", to: &lines)
    add(handles, "handles", to: &lines)
    add(poolRequests, "thread pool", to: &lines)
    add(requests, "requests", to: &lines)
    add(timers, "timers", to: &lines)
    return lines.joined(separator: "\n")
  }

  private var state: String {
    if !hasAnswered { return "hasn't answered" }
    let states = [(isRunning, "running"), (isStopping, "stopping"), (isShuttingDown, "shutting down")]
    let text = states.filter(\.0).map(\.1).joined(separator: ", ")
    return text.isEmpty ? "not running" : text
  }

  /// Adds a list in columns: the first to the right, the others to the left.
  private func add<Entry: SnapshotEntry>(
    _ list: SnapshotList<Entry>, _ title: String, to lines: inout [String]
  ) {
    if list.count == 0 { return }
    lines.append("\(title): \(list.count.grouped)")
    let rows = list.entries.map(\.columns)
    // One long entry doesn't push all others to the right.
    let widths = (0..<(rows.first?.count ?? 0)).map { column in min(rows.map { $0[column].count }.max()!, 56)
    }
    for row in rows {
      var line = "  " + padding(row[0], to: max(widths[0], 8)) + row[0]
      for column in 1..<row.count where !row[column].isEmpty || column < row.count - 1 {
        line += "  " + row[column]
        if column < row.count - 1 { line += padding(row[column], to: widths[column]) }
      }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    if list.omittedCount > 0 { lines.append("  and \(list.omittedCount.grouped) more") }
  }

  private func padding(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count))
  }
}

/// An entry of a list of a snapshot, which is a line of the snapshot's text.
private protocol SnapshotEntry {
  /// The texts of the line's columns. Some may be empty.
  var columns: [String] { get }
}

extension SnapshotEntry {
  fileprivate var line: String { columns.filter { !$0.isEmpty }.joined(separator: "  ") }
}

extension WaitSnapshot: CustomStringConvertible, SnapshotEntry {
  fileprivate var columns: [String] { [age.text, text] }

  /// One line: how long it has been waited for, and what for.
  public var description: String { line }

  /// `read 127.0.0.1:6379 ← 127.0.0.1:50112`
  fileprivate var text: String {
    let parts = [subject.map { "\(operation) \($0)" } ?? operation, remaining.map { "\($0.text) left" }]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

extension TaskSnapshot: CustomStringConvertible, SnapshotEntry {
  fileprivate var columns: [String] {
    [wait?.age.text ?? state.rawValue, wait?.text ?? "", originText]
  }

  /// One line: how long the task has waited, what for, and which task it is.
  public var description: String { line }

  private var originText: String {
    let origin = name.map { "\($0), \(place)" } ?? place
    return "\(origin), \(age.text) old\(isCancelled ? ", cancelled" : "")"
  }
}

extension TimerSnapshot: CustomStringConvertible, SnapshotEntry {
  fileprivate var columns: [String] {
    ["in \(dueIn.text)", keepsLoopRunning ? "" : "doesn't keep the loop running"]
  }

  /// One line: the time until the timer fires.
  public var description: String { line }
}

extension HandleSnapshot: CustomStringConvertible, SnapshotEntry {
  fileprivate var columns: [String] {
    [age.text, subject("↔").map { "\(type.rawValue) \($0)" } ?? type.rawValue, stateText]
  }

  /// One line: how old the handle is, which one it is, and what it does.
  public var description: String { line }

  private var stateText: String {
    if isClosing { return "closing" }
    var states: [String] = []
    if isListener { states.append("listener") }
    if isAccepted { states.append("accepted") }
    if isAwaited { states.append(isListener ? "accepts" : "awaited") }
    if queuedByteCount > 0 { states.append("\(queuedByteCount.grouped) bytes to write") }
    if let count = retransmissionCount, count > 0 { states.append("\(count.grouped) packets sent again") }
    if let dueIn { states.append("in \(dueIn.text)") }
    // libuv doesn't count a stream as active that only writes.
    if !isActive, queuedByteCount == 0 { states.append("idle") }
    if !keepsLoopRunning { states.append("doesn't keep the loop running") }
    return states.joined(separator: ", ")
  }
}

extension Int {
  /// The number with its thousands apart: `9,990`.
  fileprivate var grouped: String {
    var text = ""
    for (index, digit) in String(self).reversed().enumerated() {
      if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
