#if Service || Everything
public import Logging
public import ServiceLifecycle
import Synchronization
public import UV

/// An event loop as a service: on a thread of its own, started and ended by a `ServiceGroup`.
///
/// ```swift
/// let server = EventLoopService { loop in
///   let listener = try loop.tcp.listen(port: 8080)
///   for try await connection in listener {
///     loop.spawn { await serve(connection) }
///   }
/// }
/// let group = ServiceGroup(
///   services: [server], gracefulShutdownSignals: [.sigterm], cancellationSignals: [.sigint], logger: logger)
/// try await group.run()
/// ```
///
/// The body runs as `EventLoop.run` would run it, and the service ends when the body has returned and no work
/// is left on the loop. A group expects that a service goes on until it is asked to end, and ends itself
/// otherwise; its configuration can say something else.
///
/// When the group shuts down gracefully, the loop does: its listeners close, which ends a loop over them, and
/// the connections that came through them get time; see `shutdownGracefully(within:)` of `EventLoop`. Tasks
/// that still run at the time limit are cancelled. When the service's task is cancelled, the loop is stopped:
/// its tasks are cancelled at once.
///
/// The group has the signals. Leave `loop.signals(.terminate)` out of the body, since both would get the
/// signal.
///
/// The task-local values of the group's task hold in the body and in the tasks that it spawns, and so do
/// `gracefulShutdown()` and the other functions of swift-service-lifecycle.
///
/// The corresponding type of swift-service-lifecycle is `Service`.
public struct EventLoopService: Service {
  /// A function that runs on the loop.
  public typealias Body = nonisolated(nonsending) @Sendable (EventLoop) async throws -> Void

  private let limit: Duration
  private let logger: Logger
  private let body: Body

  /// Creates a service, which has no loop until it is run.
  ///
  /// - Parameters:
  ///   - limit: How long a graceful shutdown may take. Zero or less gives the connections no time.
  ///   - logger: Where the service says that it begins to end and what it has cut off.
  ///   - body: What to do on the loop.
  public init(
    shutdownWithin limit: Duration = .seconds(10), logger: Logger = Logger(label: "swift-uv"),
    _ body: @escaping Body
  ) {
    self.limit = limit
    self.logger = logger
    self.body = body
  }

  /// Runs the loop to its end. A `ServiceGroup` calls this. You can also call it yourself, in any task.
  ///
  /// - Throws: The error of the body, or that of the system if no thread or loop can be made.
  public func run() async throws {
    let threads = LoopThreads()
    let executor = try threads.start(isKept: false)
    try await withTaskCancellationHandler {
      try await withGracefulShutdownHandler {
        let result = await LoopEntrance(executor).run(body)
        await threads.ended()
        try result.get()
      } onGracefulShutdown: {
        shutDown(executor)
      }
    } onCancel: {
      executor.stop()
    }
  }

  private func shutDown(_ executor: LoopExecutor) {
    logger.info("the loop shuts down gracefully", metadata: ["limit": "\(limit)"])
    let deadline = LoopClock.Instant.now.advanced(by: limit)
    // A loop that has ended has nothing to shut down.
    try? executor.execute { [logger] loop in
      loop.shutdownGracefully(within: LoopClock.Instant.now.duration(to: deadline)) { result in
        guard case .success(let report) = result else { return }
        logger.log(report)
        // What doesn't depend on a connection has what is left of the time.
        _ = loop.sleepQuietly(for: LoopClock.Instant.now.duration(to: deadline)) { result in
          if case .success = result { loop.stop() }
        }
      }
    }
  }
}

extension Logger {
  /// Logs what a graceful shutdown had to cut off.
  func log(_ report: ShutdownReport) {
    if report.count == 0 { return debug("all connections have ended") }
    warning(
      "connections were cut off",
      metadata: ["count": "\(report.count)", "peers": .array(report.peers.prefix(10).map { "\($0)" })])
  }
}

/// Lets a task from elsewhere start a body on a loop. The body's task is made by that task, so that it
/// inherits its task-local values.
actor LoopEntrance {
  private nonisolated let executor: LoopExecutor

  init(_ executor: LoopExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a body as a task of the loop, which nothing else has kept running until now.
  func run(_ body: @escaping EventLoopService.Body) async -> Result<Void, any Error> {
    guard let loop = EventLoop.current else { return .failure(CancellationError()) }
    let task = loop.spawn(file: "the body of the service", line: 0) { () async throws -> Void in
      do { try await body(loop) } catch {
        loop.stop()
        throw error
      }
    }
    loop.endWork()
    do { return .success(try await task.value) } catch { return .failure(error) }
  }
}
#endif
