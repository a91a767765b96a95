import CUV

extension EventLoop {
  /// Starts the process that takes the place of this one, and waits until it is ready.
  ///
  /// ```swift
  /// for try await _ in try loop.signals(.hangup) {
  ///   do {
  ///     try await loop.handover().value
  ///     break
  ///   } catch { print(error) }  // This process goes on.
  /// }
  /// try await loop.shutdownGracefully(within: .seconds(30)).value
  /// ```
  ///
  /// The successor gets all listening sockets of this process, those of other loops too. It listens as any
  /// program does: `listen` for an address or path for which this process has listened takes over the socket.
  /// Connections that wait to be accepted wait on, and none is refused. The successor says that it is ready
  /// by ``ServiceManager/notify(_:)`` with `.ready`. Until then this process serves alone, and afterwards both
  /// do, until you end this one.
  ///
  /// A successor that ends before it is ready, or that takes too long, changes nothing: it is killed, and
  /// this process goes on. If this process ends before the successor is ready, the successor goes on. The
  /// service manager gets the new main process.
  ///
  /// The successor has the standard streams, the environment and the working directory of this process.
  ///
  /// - Parameters:
  ///   - program: A path, or a name to look up in `PATH`; nil for the name by which this process was started.
  ///     A new version of the program may be there.
  ///   - arguments: The arguments after the program's name; nil for those of this process.
  ///   - limit: How long the successor may take until it is ready.
  /// - Returns: A request for the system's number of the successor. It fails with `invalidArgument` if nothing
  ///   listens, `alreadyInProgress` if there is a successor that hasn't ended, `timedOut`,
  ///   `connectionAborted` if the successor ended before it was ready, and with the errors of
  ///   ``Processes/spawn(_:_:environment:workingDirectory:user:group:isDetached:stdio:)``. Cancelling it kills
  ///   the successor.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  public func handover(
    _ program: (any PathConvertible)? = nil, _ arguments: [String]? = nil,
    within limit: Duration = .seconds(60)
  ) -> Request<Int32> {
    Request(of: self) { [self] in handover(program, arguments, within: limit, $0) }
  }

  /// Starts the process that takes the place of this one; see ``handover(_:_:within:)``.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  @discardableResult
  public func handover(
    _ program: (any PathConvertible)? = nil, _ arguments: [String]? = nil,
    within limit: Duration = .seconds(60),
    _ done: @escaping Completion<Int32>
  ) -> PendingRequest {
    do throws(UVError) {
      let arguments = arguments ?? Array(CommandLine.arguments.dropFirst())
      let handover = try Handover(self, program ?? CommandLine.arguments.first ?? "", arguments, done)
      return handover.start(within: limit)
    } catch {
      answer { done(.failure(error)) }
      return PendingRequest()
    }
  }
}
