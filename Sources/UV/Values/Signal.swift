import CUV

/// A signal of the system's.
public struct Signal: RawRepresentable, Hashable, Sendable {
  /// The system's number.
  public let rawValue: Int32

  /// A signal by the system's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `SIGHUP`: the terminal has gone; by custom, read the configuration again.
  public static let hangup = Signal(rawValue: SIGHUP)
  /// `SIGINT`: somebody has typed Control-C.
  public static let interrupt = Signal(rawValue: SIGINT)
  /// `SIGQUIT`: somebody has typed Control-\\.
  public static let quit = Signal(rawValue: SIGQUIT)
  /// `SIGKILL`: the process is ended; it cannot be watched for.
  public static let kill = Signal(rawValue: SIGKILL)
  /// `SIGTERM`: the process is to end.
  public static let terminate = Signal(rawValue: SIGTERM)
  /// `SIGUSR1`: for the program to define.
  public static let user1 = Signal(rawValue: SIGUSR1)
  /// `SIGUSR2`: for the program to define.
  public static let user2 = Signal(rawValue: SIGUSR2)
  /// `SIGPROF`: a profiler's timer has fired.
  public static let profiling = Signal(rawValue: SIGPROF)
  /// `SIGWINCH`: the terminal has another size.
  public static let windowChange = Signal(rawValue: SIGWINCH)
}

extension Signal: CustomStringConvertible {
  /// Its name, as the system gives it.
  public var description: String { String(cString: strsignal(rawValue)) }
}
