/// What a soak did, and what it left behind.
public struct SoakReport: Sendable {
  /// The seed that it can be repeated with.
  public var seed: UInt64
  /// Operations that ended, by kind.
  public internal(set) var operations: [String: Int] = [:]
  /// Errors, by what was being done and what it got. They are meant to happen.
  public internal(set) var errors: [String: Int] = [:]
  /// What must not happen: bytes that differ, a completion that comes twice.
  public internal(set) var faults: [String] = []
  /// What was held after the warm-up, when nothing was under way.
  public internal(set) var start: Footprint?
  /// What was held at the end, when nothing was under way.
  public internal(set) var end: Footprint?

  /// Counts from zero. The tables stay as large as they are, so that they are not mistaken for growth.
  mutating func startOver() {
    for name in operations.keys { operations[name] = 0 }
    for name in errors.keys { errors[name] = 0 }
  }

  /// How many operations ended.
  public var total: Int { operations.values.reduce(0, +) }

  /// How many bytes the heap may have grown.
  public internal(set) var heapAllowance = 0

  /// What is wrong, nothing if the soak ended where it began.
  public var problems: [String] {
    var problems = faults
    guard let start, let end else { return problems + ["it did not come to its end"] }
    // Fewer are another's: a thread that has used Foundation's run loop takes three with it when it ends.
    if end.descriptors > start.descriptors {
      problems.append("descriptors: \(start.descriptors) at the start, \(end.descriptors) at the end")
    }
    if end.handles != start.handles {
      problems.append("handles: \(start.handles) at the start, \(end.handles) at the end")
    }
    if let before = start.heap, let after = end.heap, after - before > heapAllowance {
      problems.append("heap: \(before) bytes at the start, \(after) at the end")
    }
    return problems
  }
}

extension SoakReport: CustomStringConvertible {
  /// A table of what was done, the errors, and the footprint at start and end.
  public var description: String {
    func row(_ name: String, _ columns: [String]) -> String {
      func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
      }
      return name + pad(name, 40) + columns.map { pad($0, 14) + $0 }.joined()
    }
    var lines = [row("operations", ["\(total)"])]
    for (name, count) in operations.sorted(by: { $0.key < $1.key }) {
      lines.append(row("  \(name)", ["\(count)"]))
    }
    lines.append(row("errors", ["\(errors.values.reduce(0, +))"]))
    for (name, count) in errors.sorted(by: { $0.key < $1.key }) {
      lines.append(row("  \(name)", ["\(count)"]))
    }
    if let start, let end {
      lines.append(row("", ["start", "end"]))
      lines.append(row("descriptors", ["\(start.descriptors)", "\(end.descriptors)"]))
      lines.append(row("handles, requests, timers, tasks", ["\(start.handles)", "\(end.handles)"]))
      if let before = start.heap, let after = end.heap {
        lines.append(row("heap, bytes", ["\(before)", "\(after)"]))
      }
      if let before = start.blocks, let after = end.blocks {
        lines.append(row("heap, blocks", ["\(before)", "\(after)"]))
      }
    }
    for problem in problems { lines.append("wrong: \(problem)") }
    return lines.joined(separator: "\n")
  }
}
