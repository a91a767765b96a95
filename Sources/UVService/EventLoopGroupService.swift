#if Service || Everything
public import Logging
public import ServiceLifecycle
public import UV

/// A group of event loops as a service, ended by a `ServiceGroup`.
///
/// ```swift
/// let server = EventLoopGroupService(try EventLoopGroup()) { group in
///   try await group.serve(port: 8080) { connection in await serve(connection) }
/// }
/// let services = ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await services.run()
/// ```
///
/// The service ends when it is asked to, and the group ends with it; see `shutdownGracefully(within:)` of the
/// group. If the service's task is cancelled, the connections get no time.
///
/// The group has the signals. Task-local values of its task don't reach the tasks that serve connections:
/// these begin in a callback. They learn of the end by `connection.isQuiescing`.
///
/// The corresponding type of swift-service-lifecycle is `Service`.
public struct EventLoopGroupService: Service {
  private let group: EventLoopGroup
  private let limit: Duration
  private let logger: Logger
  private let start: @Sendable (EventLoopGroup) async throws -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - group: The loops. They belong to the service from now on.
  ///   - limit: How long a graceful shutdown may take. Zero or less gives the connections no time.
  ///   - logger: Where the service says that it begins to end and what it has cut off.
  ///   - start: What to begin, such as `serve`. When it has returned, the service goes on until it is asked to
  ///     end.
  public init(
    _ group: EventLoopGroup, shutdownWithin limit: Duration = .seconds(10),
    logger: Logger = Logger(label: "swift-uv"),
    _ start: @escaping @Sendable (EventLoopGroup) async throws -> Void
  ) {
    self.group = group
    self.limit = limit
    self.logger = logger
    self.start = start
  }

  /// Starts what there is to do, waits until the service is asked to end, and ends the group. A `ServiceGroup`
  /// calls this.
  ///
  /// - Throws: The error of `start`.
  public func run() async throws {
    do { try await start(group) } catch {
      _ = await end(within: .zero)
      throw error
    }
    // It throws if this task is cancelled, which is the other way to end it.
    try? await gracefulShutdown()
    logger.info("the loops shut down", metadata: ["limit": "\(Task.isCancelled ? .zero : limit)"])
    logger.log(await end(within: limit))
  }

  /// Ends the group, at once if this task is cancelled. It has ended when this returns.
  private func end(within limit: Duration) async -> ShutdownReport {
    // A task that is cancelled wouldn't wait for the report.
    let ending = Task { await group.shutdownGracefully(within: limit) }
    return await withTaskCancellationHandler {
      await ending.value
    } onCancel: {
      // The shortest limit counts.
      Task { await group.shutdownGracefully(within: .zero) }
    }
  }
}
#endif
