import UV

/// A server on a Unix socket that SIGHUP replaces and SIGTERM ends. It says each step that it takes, and stands at a
/// step while there is a file of the step's name, unless it has been asked to end.
struct Server {
  let loop: EventLoop
  let folder: String
  let role = Environment["UV_HANDOVER"] == nil ? "first" : "successor"

  func run() async throws(UVError) {
    let hangups = try loop.signals(.hangup)
    try await step("begun")
    let listener = try loop.pipes.listen(path: "\(folder)/socket")
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(10)) { _ in }
    try await step("listening")
    // It isn't ready if it has been asked to end meanwhile.
    if loop.isShuttingDown { return }
    try ServiceManager.notify(.ready)
    try await step("ready")
    loop.spawn {
      do throws(UVError) {
        for try await _ in hangups where try await handOver() { break }
        _ = try await loop.shutdownGracefully(within: .seconds(10)).value
      } catch { print(error) }
    }
    for try await connection in listener {
      loop.spawn {
        do throws(UVError) {
          try await connection.write(Bytes("\(SystemInfo.processID)")).value
          connection.close()
        } catch { print(error) }
      }
    }
    hangups.close()
  }

  private func handOver() async throws(UVError) -> Bool {
    do throws(UVError) { _ = try await loop.handover().value } catch {
      try await step("alone")
      return false
    }
    try await step("replaced")
    return true
  }

  private func step(_ name: String) async throws(UVError) {
    try await loop.standardOutput.write(Bytes("\(SystemInfo.processID) \(role) \(name)\n")).value
    while !loop.isShuttingDown, (try? await loop.files.stat("\(folder)/\(role)-\(name)").value) != nil {
      try await loop.sleep(for: .milliseconds(2)).value
    }
  }
}

EventLoop.main { loop in try await Server(loop: loop, folder: CommandLine.arguments[1]).run() }
