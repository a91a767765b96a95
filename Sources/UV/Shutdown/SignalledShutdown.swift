/// A graceful shutdown that begins with a signal. The next signal ends it at once. If something else begins
/// the shutdown, this waits for the same end.
final class SignalledShutdown: ServiceObserver {
  typealias Shutdown = (_ limit: Duration, @escaping Completion<ShutdownReport>) -> Void

  private static let operation: StaticString = "shutdownGracefully"

  private let loop: EventLoop
  private let limit: Duration
  private let keepsLoopRunning: Bool
  private let shutdown: Shutdown
  private var watchers: [SignalWatcher] = []
  private var done: Completion<ShutdownReport>?
  private var hasBegun = false
  private var hasJoined = false
  /// Waits for an end that something else has begun.
  var otherEnd = PendingRequest()

  /// - Parameters:
  ///   - loop: The loop that watches the signals.
  ///   - limit: How long the shutdown may take if no other signal comes.
  ///   - keepsLoopRunning: Whether the loop runs until the shutdown is done.
  ///   - shutdown: Shuts down. It may be called again before it is done, with a limit of zero.
  init(
    on loop: EventLoop, within limit: Duration, keepsLoopRunning: Bool, _ shutdown: @escaping Shutdown
  ) {
    self.loop = loop
    self.limit = limit
    self.keepsLoopRunning = keepsLoopRunning
    self.shutdown = shutdown
  }

  /// Watches the signals, until the shutdown is done or nobody waits for it any more.
  func start(_ signals: [Signal], _ done: @escaping Completion<ShutdownReport>) -> PendingRequest {
    require(!signals.isEmpty, "shutdownGracefully(onSignals:): name a signal, such as .terminate")
    self.done = done
    do throws(UVError) {
      for signal in signals { watchers.append(try loop.signals(signal)) }
    } catch {
      loop.answer { [self] in finish(.failure(error)) }
      return PendingRequest()
    }
    for watcher in watchers {
      watcher.keepsLoopRunning = keepsLoopRunning
      watcher.start { [self] in receive($0) }
    }
    return PendingRequest(Self.operation, subject: { [self] in hasBegun ? nil : "not before a signal" }) {
      [self] in
      loop.queueMicrotask { [self] in finish(Self.cancelled) }
    }
  }

  private static var cancelled: Result<ShutdownReport, UVError> {
    .failure(UVError(.cancelled, operation: operation.description))
  }

  private func receive(_ result: Result<Signal?, UVError>) {
    // The loop has closed the watcher, as it ends.
    guard case .success(_?) = result else { return finish(Self.cancelled) }
    if hasBegun { return shutdown(.zero) { _ in } }
    hasBegun = true
    shutdown(limit) { [self] in finish($0) }
  }

  /// The loop's service begins to end. It has the limit that it was given there, until a signal comes.
  func serviceEnds() {
    if hasBegun || hasJoined || done == nil { return }
    hasJoined = true
    // Not from here, where the service has only begun to end. The limit is the other's.
    loop.queueMicrotask { [self] in shutdown(.seconds(Int64.max)) { [self] in finish($0) } }
  }

  /// The service has ended although no signal has come.
  func endsOtherwise(_ result: Result<ShutdownReport, UVError>) {
    if case .success = result, !hasBegun { finish(result) }
  }

  private func finish(_ result: Result<ShutdownReport, UVError>) {
    guard let done = done.take() else { return }
    otherEnd.drop()
    for watcher in watchers { watcher.close() }
    done(result)
  }
}

/// The work that a graceful shutdown had to cut off; see ``EventLoop/shutdownGracefully(within:)``.
public struct ShutdownReport: Hashable, Sendable {
  /// How many connections had not ended at the time limit, or had waited for a listener that nobody asked, and
  /// were reset.
  public var count: Int
  /// The addresses of the peers of those connections, as far as the system still knew them.
  public var peers: [SocketAddress]

  /// Whether this is all. It is false if the task that waited for a group's end has been cancelled: the group
  /// goes on to end, and nobody has counted yet.
  public var isComplete: Bool

  /// Creates a report.
  package init(count: Int = 0, peers: [SocketAddress] = [], isComplete: Bool = true) {
    self.count = count
    self.peers = peers
    self.isComplete = isComplete
  }

  /// Adds the report of another loop.
  public static func += (a: inout ShutdownReport, b: ShutdownReport) {
    a.count += b.count
    a.peers += b.peers
    a.isComplete = a.isComplete && b.isComplete
  }
}
