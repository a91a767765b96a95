import CUV

/// A signal of the operating system.
public struct Signal: RawRepresentable, Hashable, Sendable {
  /// The system's number for the signal.
  public let rawValue: Int32

  /// Creates a signal from the system's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `SIGHUP`: the terminal has gone. By custom, a server reads its configuration again.
  public static let hangup = Signal(rawValue: SIGHUP)
  /// `SIGINT`: somebody has typed Control-C.
  public static let interrupt = Signal(rawValue: SIGINT)
  /// `SIGQUIT`: somebody has typed Control-\\.
  public static let quit = Signal(rawValue: SIGQUIT)
  /// `SIGKILL`: ends the process. A program can't watch for it.
  public static let kill = Signal(rawValue: SIGKILL)
  /// `SIGTERM`: asks the process to end.
  public static let terminate = Signal(rawValue: SIGTERM)
  /// `SIGUSR1`: for the program to define.
  public static let user1 = Signal(rawValue: SIGUSR1)
  /// `SIGUSR2`: for the program to define.
  public static let user2 = Signal(rawValue: SIGUSR2)
  /// `SIGPROF`: a profiler's timer has fired.
  public static let profiling = Signal(rawValue: SIGPROF)
  /// `SIGWINCH`: the terminal's window has a new size.
  public static let windowChange = Signal(rawValue: SIGWINCH)
}

extension Signal: CustomStringConvertible {
  /// The signal's name, as the system gives it.
  public var description: String { String(cString: strsignal(rawValue)) }
}
