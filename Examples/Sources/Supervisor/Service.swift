import UV

/// A program that is kept running.
final class Service {
  /// A program that has run for so long has succeeded in starting: what fails later is a first failure again.
  private static let steady = Duration.seconds(10)
  private static let longestBackoff = Duration.seconds(60)

  private let name: String
  private let command: String
  private let options: Supervisor
  private let loop: EventLoop
  private let output: ByteStream
  private var child: ChildProcess?
  /// The time that the program has to end, once it has been asked to.
  private var grace = PendingRequest()
  /// The wait before the program is started again.
  private var pause: LoopTask<Void, UVError>?
  private var isStopping = false
  /// Whether the program has been ended in order to be started anew.
  private var isRestarting = false
  /// Whether the program has failed too often.
  private(set) var isGivenUp = false

  init(_ name: String, _ command: String, _ options: Supervisor, _ loop: EventLoop, _ output: ByteStream) {
    self.name = name
    self.command = command
    self.options = options
    self.loop = loop
    self.output = output
  }

  /// Runs the program until it ends well, has failed too often, or is stopped.
  func run() async throws {
    var failures = 0
    while !isStopping {
      let start = loop.now
      let status = try await runOnce()
      if isRestarting {
        isRestarting = false
        continue
      }
      try await say("ended: \(describe(status))")
      if status.isSuccess || isStopping { return }
      failures = start.duration(to: loop.now) >= Self.steady ? 1 : failures + 1
      if failures >= options.maxFailures {
        isGivenUp = true
        return try await say("given up after \(failures) failures")
      }
      await wait(min(.milliseconds(options.backoff) * (1 << min(failures - 1, 20)), Self.longestBackoff))
    }
  }

  /// Ends the program for good.
  func stop() {
    isStopping = true
    pause?.cancel()
    end()
  }

  /// Ends the program; it is then started again. One that waits to be started is started at once.
  func restart() {
    isRestarting = child != nil
    pause?.cancel()
    end()
  }

  // MARK: One run

  private func runOnce() async throws -> ChildProcess.ExitStatus {
    // A session of its own: a signal to its group reaches the program and whatever it has started.
    let child = try loop.processes.spawn(
      "/bin/sh", ["-c", command], isDetached: true, stdio: [.ignore, .pipe, .pipe])
    self.child = child
    defer {
      self.child = nil
      grace.cancel()
      // If this ends by an error, the program must not go on without anybody who knows of it.
      if child.exitStatus == nil { signal(child, .terminate) }
    }
    try await say("started: process \(child.processID)")
    return try await loop.withTasks { tasks in
      let printing = [child.standardOutput!, child.standardError!].map { stream in
        tasks.spawn { try await self.printLines(of: stream) }
      }
      let status = try await child.exit().value
      // The program's last lines may still be on their way. A program that goes on in the background isn't
      // waited for.
      let limit = self.loop.sleep(for: .seconds(1)) { _ in for task in printing { task.cancel() } }
      for task in printing { _ = try? await task.value }
      limit.cancel()
      return status
    }
  }

  private func end() {
    guard let child else { return }
    signal(child, .terminate)
    grace.cancel()
    grace = loop.sleep(for: .seconds(options.grace)) { result in
      if case .success = result { self.signal(child, .kill) }
    }
  }

  private func signal(_ child: ChildProcess, _ signal: Signal) {
    // If the group has ended meanwhile, nothing is left to do.
    try? loop.processes.kill(-child.processID, signal)
  }

  /// Waits, unless the program is stopped meanwhile.
  private func wait(_ time: Duration) async {
    let loop = loop
    let pause = loop.spawn { () async throws(UVError) in try await loop.sleep(for: time).value }
    self.pause = pause
    _ = try? await pause.value
    self.pause = nil
  }

  // MARK: Printing

  /// Prints the lines of a stream. While nobody reads what is printed, the stream isn't read, and the program
  /// waits.
  private func printLines(of stream: PipeConnection) async throws {
    while true {
      let line: Bytes?
      do throws(UVError) { line = try await stream.readLine(limit: options.maxLine).value } catch {
        switch error.code {
        // A part of a line that is too long. The rest of it stays in the stream.
        case .messageTooLong: line = try await stream.read(exactly: options.maxLine).value
        // The last line has no end.
        case .endOfFile: line = try await stream.readToEnd(limit: options.maxLine).value
        default: throw error
        }
      }
      guard let line else { return }
      try await print(line)
    }
  }

  private func print(_ line: Bytes) async throws {
    var text = BytesBuilder(capacity: line.count + 16)
    text.append(name)
    text.append(" | ")
    text.append(line)
    text.append("\n")
    try await output.write(text.takeBytes()).value
  }

  private func say(_ text: String) async throws {
    try await output.write(Bytes("\(name) > \(text)\n")).value
  }

  private func describe(_ status: ChildProcess.ExitStatus) -> String {
    status.signal.map { "by \($0)" } ?? "with \(status.code)"
  }
}
