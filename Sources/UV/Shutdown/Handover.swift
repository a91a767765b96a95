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
    tellManager(.reloading)
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
    tellManager(.mainProcess(successor.processID), .ready)
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
    tellManager(.ready)
    answer(.failure(error))
  }

  private func answer(_ result: Result<Int32, UVError>) { done.take()?(result) }

  /// A service manager that doesn't listen is no reason to have no successor.
  private func tellManager(_ messages: ServiceManager.Message...) { try? ServiceManager.send(messages) }
}

extension ChildProcess.ExitStatus {
  fileprivate var text: String { signal.map { "signal \($0.rawValue)" } ?? "code \(code)" }
}
