/// Why a run of a world failed. The description says the seed, with which the run can be repeated.
public struct SimulationError: Error, CustomStringConvertible {
  /// What went wrong.
  public enum Reason: Sendable {
    /// The world's closure threw an error.
    case thrown(any Error)
    /// The program of a host threw an error.
    case hostFailed(String, any Error)
    /// Nobody can go on, although somebody waits.
    case deadlock
    /// A statement of the world's wasn't true; see ``World/always(_:_:)`` and
    /// ``World/eventually(_:within:_:)``.
    case violated(String)
    /// The world's time was used up.
    case limit
    /// A host called what can't be simulated, or used what can't be repeated; a thread outside used a host's
    /// descriptor, or ran a loop of libuv meanwhile; or the program is linked so that nothing can be
    /// simulated.
    case notSimulated(String)
    /// A world was begun on a thread of another one.
    case nested
  }

  /// The seed of the run.
  public let seed: UInt64
  /// What went wrong.
  public let reason: Reason
  /// The world's time at that moment.
  public let time: Duration
  /// What was done to the world until then, in order.
  public let faults: [WorldFault]
  /// How many faults of the weather were due until then; see ``Simulation/faultCount``.
  public let faultCount: Int
  /// What each host waited for, in lines; empty if that doesn't matter.
  public let report: String
  /// The command that repeats the run, if a test's trait knows it.
  public let repetition: String?
  /// The names of the hosts.
  public let hosts: [String]
  /// The last calls until then; see ``Simulation/trace``.
  public let trace: [TraceEntry]

  /// The error in words, with the seed.
  public var description: String {
    let place = "seed \(seed), after \(time)"
    let what =
      switch reason {
      case .thrown(let error): "the world's closure threw an error: \(error)"
      case .hostFailed(let name, let error): "the host \"\(name)\" threw an error: \(error)"
      case .deadlock: "nothing can run and nothing is due, but somebody still waits"
      case .violated(let text): "not true, \(text)"
      case .limit: "the world has not ended within its limit"
      case .notSimulated(let text): text
      case .nested: "a world can't be made inside another one"
      }
    let lines = faults.map { "\n  \($0.time): \($0.text)" }.joined()
    let command = repetition.map { "\n  repeat it with: \($0)" } ?? ""
    return "\(what) (\(place))" + lines + command + (report.isEmpty ? "" : "\n\(report)")
  }
}
