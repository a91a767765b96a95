import CUV

/// The program that has started this process and watches it, such as systemd. It wants to be notified when the
/// service is ready.
///
/// ```swift
/// let listener = try loop.tcp.listen(port: 8080)
/// try ServiceManager.notify(.ready)
/// ```
///
/// This needs no library of systemd's. Without a service manager, `notify` does nothing, so a program calls it
/// always.
///
/// The protocol is that of systemd's function `sd_notify`.
public enum ServiceManager {
  /// A message to the service manager.
  public struct Message: Hashable, Sendable {
    /// The lines of the protocol, such as `READY=1`.
    public var text: String

    /// Creates a message of lines of the protocol, for those that have no name here.
    public init(_ text: String) { self.text = text }

    /// The service has begun, or has read its configuration again. The predecessor of this process is notified,
    /// too: it may end; see ``EventLoop/handover(_:_:within:)``.
    public static let ready = Message("READY=1")

    /// The service reads its configuration again. Afterwards, say ``ready``.
    public static var reloading: Message { Message("RELOADING=1\nMONOTONIC_USEC=\(uv_hrtime() / 1000)") }

    /// The service ends.
    public static let stopping = Message("STOPPING=1")

    /// The service is alive; see ``ServiceManager/watchdogInterval``.
    public static let watchdog = Message("WATCHDOG=1")

    /// A text about the state of the service, for people. Its line ends become spaces.
    public static func status(_ text: String) -> Message {
      Message("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
    }

    /// Another process is the service's main process from now on.
    ///
    /// - Parameter processID: The system's number of the process.
    public static func mainProcess(_ processID: Int32) -> Message { Message("MAINPID=\(processID)") }
  }

  /// Whether there is a service manager that wants to be notified.
  public static var isPresent: Bool { Environment["NOTIFY_SOCKET"] != nil }

  /// Notifies the service manager. It doesn't wait, and any thread may call it.
  ///
  /// After ``Message/ready``, sockets that were passed to this process and that no listener has taken are
  /// closed.
  ///
  /// - Parameter messages: What to send, by one datagram.
  /// - Throws: `wouldBlock` if the service manager doesn't read, `messageTooLong`, `connectionRefused`,
  ///   `noSuchFile`, and `invalidArgument` if `NOTIFY_SOCKET` isn't a path or if a message has a NUL in it.
  ///   In all cases a predecessor has been notified.
  ///
  /// The corresponding function of systemd's is `sd_notify`.
  public static func notify(_ messages: Message...) throws(UVError) {
    if messages.contains(.ready) { PassedSockets.ready() }
    try send(messages)
  }

  /// Notifies the service manager alone.
  static func send(_ messages: [Message]) throws(UVError) {
    guard let path = Environment["NOTIFY_SOCKET"] else { return }
    var text = messages.map(\.text).joined(separator: "\n")
    let code =
      text.utf8.contains(0)
      ? UV_EINVAL.rawValue : text.withUTF8 { cuv_notify(path, $0.baseAddress, $0.count) }
    try check(code, "notify", path)
  }

  /// How long the service manager waits for the next ``Message/watchdog`` before it takes this process for
  /// hung, and ends it. Nil if it doesn't.
  ///
  /// Send one after half of the time each:
  ///
  /// ```swift
  /// if let interval = ServiceManager.watchdogInterval {
  ///   let timer = try LoopTimer(loop)
  ///   timer.keepsLoopRunning = false  // A program that has ended needs no watching.
  ///   try timer.start(after: interval / 2, repeating: interval / 2) { try? ServiceManager.notify(.watchdog) }
  /// }
  /// ```
  ///
  /// The corresponding function of systemd's is `sd_watchdog_enabled`.
  public static var watchdogInterval: Duration? {
    guard let count = Environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), count > 0 else { return nil }
    let process = Environment["WATCHDOG_PID"]
    if let process, Int32(process) != SystemInfo.processID { return nil }
    return .microseconds(count)
  }
}
