/// A graceful shutdown that begins with a signal. The next signal ends it at once.
final class SignalledShutdown {
  typealias Shutdown = (_ limit: Duration, @escaping Completion<ShutdownReport>) -> Void

  private static let operation: StaticString = "shutdownGracefully"

  private let loop: EventLoop
  private let limit: Duration
  private let keepsLoopRunning: Bool
  private let shutdown: Shutdown
  private var watchers: [SignalWatcher] = []
  private var done: Completion<ShutdownReport>?
  private var hasBegun = false

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

  private func finish(_ result: Result<ShutdownReport, UVError>) {
    guard let done = done.take() else { return }
    for watcher in watchers { watcher.close() }
    watchers = []
    done(result)
  }
}
