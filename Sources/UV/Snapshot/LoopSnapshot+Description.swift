extension LoopSnapshot: CustomStringConvertible {
  /// The snapshot as a text for people, with a line for each entry and how long it has lasted.
  public var description: String {
    var lines = ["\(name.isEmpty ? "event loop" : name): \(state)"]
    if microtaskCount > 0 { lines[0] += ", \(microtaskCount.grouped) microtasks wait" }
    add(tasks, "tasks", to: &lines) { [$0.timeText, $0.waitText, $0.originText] }
    add(handles, "handles", to: &lines) { [$0.age.text, $0.identityText, $0.stateText] }
    add(poolRequests, "thread pool", to: &lines) { [$0.age.text, $0.text] }
    add(requests, "requests", to: &lines) { [$0.age.text, $0.text] }
    add(timers, "timers", to: &lines) {
      ["in \($0.dueIn.text)", $0.keepsLoopRunning ? "" : "doesn't keep the loop running"]
    }
    return lines.joined(separator: "\n")
  }

  private var state: String {
    let states = [(isRunning, "running"), (isStopping, "stopping"), (isShuttingDown, "shutting down")]
    let text = states.filter(\.0).map(\.1).joined(separator: ", ")
    return text.isEmpty ? "not running" : text
  }

  /// Adds a list in columns: the first to the right, the others to the left.
  private func add<Entry>(
    _ list: SnapshotList<Entry>, _ title: String, to lines: inout [String], _ columns: (Entry) -> [String]
  ) {
    if list.count == 0 { return }
    lines.append("\(title): \(list.count.grouped)")
    let rows = list.entries.map(columns)
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

extension WaitSnapshot {
  /// `read 127.0.0.1:6379 ← 127.0.0.1:50112`
  fileprivate var text: String {
    let parts = [subject.map { "\(operation) \($0)" } ?? operation, remaining.map { "\($0.text) left" }]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

extension TaskSnapshot {
  fileprivate var timeText: String { wait?.age.text ?? state.rawValue }

  fileprivate var waitText: String { wait?.text ?? "" }

  fileprivate var originText: String { "\(place), \(age.text) old\(isCancelled ? ", cancelled" : "")" }
}

extension HandleSnapshot {
  fileprivate var identityText: String { subject("↔").map { "\(type.rawValue) \($0)" } ?? type.rawValue }

  fileprivate var stateText: String {
    if isClosing { return "closing" }
    var states: [String] = []
    if isListener { states.append("listener") }
    if isAccepted { states.append("accepted") }
    if isAwaited { states.append(isListener ? "accepts" : "awaited") }
    if queuedByteCount > 0 { states.append("\(queuedByteCount.grouped) bytes to write") }
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
