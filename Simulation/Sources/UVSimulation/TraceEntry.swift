import CSimulation

/// A call that a host made.
public struct TraceEntry: Sendable, Equatable, CustomStringConvertible {
  /// The number of the call, counted from 0.
  public let number: UInt64
  /// When it was answered, on the world's clock.
  public let time: Duration
  /// The host that made it.
  public let host: String
  /// The number of the thread that made it.
  public let thread: Int
  /// The call's name.
  public let call: String
  /// The descriptor that it was about; nil if it was about none.
  public let descriptor: Int?
  /// What it returned. A negative number is an `errno`.
  public let result: Int64
  /// A number that depends on the bytes that were passed.
  public let bytes: UInt64

  /// The call in one line.
  public var description: String {
    let target = descriptor.map { " \($0)" } ?? ""
    return "#\(number) \(time) \(host)/\(thread) \(call)\(target) = \(result)"
  }

  /// Those that are kept.
  static func all() -> [TraceEntry] {
    let first = sim_trace_first()
    return (0..<sim_trace_count()).map { index in
      let entry = sim_trace_entry(index)
      return TraceEntry(
        number: first + UInt64(index), time: .nanoseconds(entry.time),
        host: String(cString: sim_host_name_of(entry.host)),
        thread: Int(entry.thread), call: String(cString: sim_call_name(entry.call)),
        descriptor: entry.descriptor < 0 ? nil : Int(entry.descriptor), result: entry.result,
        bytes: entry.bytes)
    }
  }
}
