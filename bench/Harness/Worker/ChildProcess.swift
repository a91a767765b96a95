/// A child with whom lines are exchanged over its standard streams.
///
/// The child sees the end of its input when this process ends, in whatever way.
final class ChildProcess: LineChannel {
  let id: pid_t
  private let lines: LineStream
  private let patience: Double
  private var status: Int32?

  /// Starts `command`, whose first element is a path. Variables in `environment` are added to those of this
  /// process. A child that has closed its output, or is asked to end, has `patience` seconds to do so.
  init(_ command: [String], environment: [String: String] = [:], patience: Double = 5) throws {
    self.patience = patience
    let toChild = try Self.pipe()
    let fromChild: (read: Int32, write: Int32)
    do {
      fromChild = try Self.pipe()
    } catch {
      Self.close(toChild)
      throw error
    }
    #if canImport(Darwin)
      var (actions, attributes) = (posix_spawn_file_actions_t?.none, posix_spawnattr_t?.none)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.read, 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild.write, 1)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var arguments = command.map { strdup($0) } + [nil]
    var strings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + strings { free(string) } }
    var child: pid_t = 0
    // The thread that starts a child may block signals, as those of a pool do, and a child
    // inherits that: it would be deaf to SIGTERM.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let error = posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &strings)
    guard error == 0 else {
      Self.close(toChild)
      Self.close(fromChild)
      throw WorkerFailure("cannot start \(command[0]): \(String(cString: strerror(error)))")
    }
    systemClose(toChild.read)
    systemClose(fromChild.write)
    id = child
    lines = LineStream(input: toChild.write, output: fromChild.read)
  }

  deinit { kill() }

  func write(_ line: String) throws {
    do {
      try lines.write(line)
    } catch is LineStream.Ended {
      throw WorkerFailure("\(ending()) while it was being told what to do")
    }
  }

  /// The next line. It is an error when none comes within `seconds`, or none at all.
  func readLine(within seconds: Double) throws -> String { try named { try lines.readLine(within: seconds) } }

  /// The next line; nil when none comes within `seconds`. It is an error when none comes at all.
  func nextLine(within seconds: Double) throws -> String? {
    try named { try lines.nextLine(within: seconds) }
  }

  private func named<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch is LineStream.Ended {
      throw WorkerFailure(ending())
    }
  }

  /// Passes on every line until the child has ended, and returns its code: that of a
  /// shell, 128 and more for a signal.
  func drain(_ line: (String) -> Void) throws -> Int32 {
    lines.closeInput()
    while true {
      do {
        line(try readLine(within: 3600))
      } catch is WorkerFailure {
        // The last line may have no end.
        if let rest = lines.takeRest() { line(rest) }
        finish(within: max(patience, 60))
        let status = status ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
      }
    }
  }

  /// Ends the child's input and waits for its end; makes an end of it after `seconds`, which
  /// are its patience by default.
  func finish(within seconds: Double? = nil) {
    lines.closeInput()
    if !hasEnded(within: seconds ?? patience) { kill() }
  }

  /// Ends the child, if it still runs: it is asked to, so that it can end its own children, and
  /// made to when it does not.
  func kill() {
    lines.closeInput()
    guard status == nil else { return }
    send(SIGTERM, to: id)
    guard !hasEnded(within: patience) else { return }
    send(SIGKILL, to: id)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    self.status = status
  }

  private func hasEnded(within seconds: Double) -> Bool {
    let deadline = ProcessUsage.now().wall + UInt64(seconds * 1e9)
    while status == nil, !reap() {
      guard ProcessUsage.now().wall < deadline else { return false }
      usleep(1000)
    }
    return true
  }

  private func reap() -> Bool {
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return false }
    self.status = status
    return true
  }

  private func ending() -> String {
    lines.closeInput()
    guard hasEnded(within: patience), let status else {
      kill()
      return "the process closed its output and went on, so it was ended"
    }
    let signal = status & 0x7F
    return signal == 0
      ? "the process ended with code \(status >> 8 & 0xFF)" : "the process was killed by signal \(signal)"
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard systemPipe(&ends) == 0 else { throw WorkerFailure("pipe: \(String(cString: strerror(errno)))") }
    // Later children must not keep these open: they would hide the end of the stream.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func close(_ ends: (read: Int32, write: Int32)) {
    systemClose(ends.read)
    systemClose(ends.write)
  }
}

// The names of the C library, where a method of the same name hides them.
private func send(_ signal: Int32, to id: pid_t) { _ = kill(id, signal) }
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
