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
  /// Of something that has arrived: the host that sent it.
  public let sender: String?
  /// Of something that has arrived: when it was sent, on the world's clock.
  public let sent: Duration?

  /// The call in one line.
  public var description: String {
    if let sender, let sent {
      return "#\(number) \(time) \(host) \(result) bytes of \(sender), sent at \(sent)"
    }
    let target = descriptor.map { " \($0)" } ?? ""
    return "#\(number) \(time) \(host)/\(thread) \(call)\(target) = \(result)"
  }

  /// Those that are kept.
  static func all() -> [TraceEntry] {
    let first = sim_trace_first()
    return (0..<sim_trace_count()).map { index in
      let entry = sim_trace_entry(index)
      let call = String(cString: sim_call_name(entry.call))
      let isArrival = call == "deliver"
      return TraceEntry(
        number: first + UInt64(index), time: .nanoseconds(entry.time),
        host: String(cString: sim_host_name_of(entry.host)), thread: Int(entry.thread), call: call,
        descriptor: entry.descriptor < 0 || isArrival ? nil : Int(entry.descriptor), result: entry.result,
        bytes: entry.bytes,
        sender: isArrival ? String(cString: sim_host_name_of(UInt8(entry.descriptor))) : nil,
        sent: isArrival ? .nanoseconds(entry.bytes) : nil)
    }
  }
}
