import CUV

/// A successor that has begun, and the caller that waits for it.
final class Handover {
  private static let operation: StaticString = "handover"
  /// A successor whose end has been noticed by its socket gets so long until the system reports it.
  private static let patience = Duration.seconds(1)

  private let loop: EventLoop
  private let successor: ChildProcess
  private var done: Completion<Int32>?
  private var deadline = PendingRequest()
  /// Why there will be no successor.
  private var reason: UVError?

  init(
    _ loop: EventLoop, _ program: any PathConvertible, _ arguments: [String],
    _ done: @escaping Completion<Int32>
  ) throws(UVError) {
    self.loop = loop
    self.done = done
    let sockets = try ListeningSockets.beginHandover()
    defer { for socket in sockets { _ = CUV.close(socket.descriptor) } }
    do throws(UVError) {
      successor = try loop.processes.spawn(
        program, arguments, variables: Self.variables(sockets.map(\.place)),
        stdio: [.inherit, .inherit, .inherit, .pipe] + sockets.map { .descriptor($0.descriptor) })
    } catch {
      ListeningSockets.successorEnded()
      throw error
    }
  }

  /// The successor's environment: this process's, and what the successor needs to know of the sockets.
  private static func variables(_ places: [ListeningPlace]) throws(UVError) -> CStrings {
    let number = PassedSockets.variable
    var added = ["\(number)=\(places.count)"]
    for (index, place) in places.enumerated() {
      added.append("\(number)_\(index)=\(place.name):\(place.text)")
    }
    let files = places.indices.filter { places[$0].file != nil }.map(String.init).joined(separator: ",")
    added.append("\(PassedSockets.filesVariable)=\(files)")
    // The sockets that another process has passed to this one are this one's. The watchdog is the successor's
    // from now on. A program may have variables of its own that begin alike.
    return try CStrings(environmentWith: added) { name in
      name == number || name.hasPrefix("\(number)_") || PassedSockets.systemdVariables.contains(name)
        || name == "WATCHDOG_PID"
    }
  }

  func start(within limit: Duration) -> PendingRequest {
    notifyManager(.reloading)
    deadline = loop.sleep(for: limit) { [self] result in
      if case .success = result { fail(UVError(.timedOut, operation: "handover", subject: "\(limit)")) }
    }
    successor.stdio[3]!.next { [self] result in
      switch result {
      case .success(_?): succeed()
      case .success(nil): lose()
      // The loop ends.
      case .failure(let error): fail(error)
      }
    }
    return PendingRequest(Self.operation, subject: { [self] in "process \(successor.processID)" }) { [self] in
      fail(UVError(.cancelled, operation: "handover"))
    }
  }

  private func succeed() {
    guard reason == nil else { return }
    deadline.cancel()
    successor.stdio[3]!.close()
    successor.keepsLoopRunning = false
    successor.exit { result in
      if case .success = result { ListeningSockets.successorEnded() }
    }
    notifyManager(.mainProcess(successor.processID), .ready)
    answer(.success(successor.processID))
  }

  /// The successor has ended, or has closed the socket, so it won't ever say that it is ready.
  private func lose() {
    guard reason == nil else { return }
    let patience = loop.sleep(for: Self.patience) { [self] result in
      if case .success = result { fail(Self.lost("closed its descriptor 3")) }
    }
    successor.exit { [self] result in
      patience.cancel()
      switch result {
      case .success(let status): fail(Self.lost("ended with \(status.text)"))
      // The loop ends, or something else has waited for the successor.
      case .failure(let error): fail(error)
      }
    }
  }

  private static func lost(_ what: String) -> UVError {
    UVError(.connectionAborted, operation: "handover", subject: "the successor \(what) before it was ready")
  }

  /// Ends the successor, and answers when it has ended.
  private func fail(_ error: UVError) {
    guard done != nil, reason == nil else { return }
    reason = error
    deadline.cancel()
    successor.stdio[3]!.close()
    if successor.hasEnded { return failed(error) }
    // By its number, since the end of the loop may have closed the handle. Nobody has waited for it yet, so
    // the number is still its own.
    let isKilled = (try? loop.processes.kill(successor.processID, .kill)) != nil
    let end = { [self] in
      // If its end isn't known, the loop's end has closed the handle, and nothing else waits for the successor.
      if isKilled, !successor.hasEnded { cuv_reap(successor.processID) }
      failed(error)
    }
    if successor.isClosing { end() } else { successor.exit { _ in end() } }
  }

  private func failed(_ error: UVError) {
    successor.close()
    ListeningSockets.successorEnded()
    notifyManager(.ready)
    answer(.failure(error))
  }

  private func answer(_ result: Result<Int32, UVError>) { done.take()?(result) }

  /// A service manager that doesn't listen is no reason to have no successor.
  private func notifyManager(_ messages: ServiceManager.Message...) { try? ServiceManager.send(messages) }
}

extension ChildProcess.ExitStatus {
  fileprivate var text: String { signal.map { "signal \($0.rawValue)" } ?? "code \(code)" }
}

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
  ///   ``Processes/spawn(_:_:environment:workingDirectory:user:group:isDetached:terminal:stdio:)``. Cancelling it kills
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
