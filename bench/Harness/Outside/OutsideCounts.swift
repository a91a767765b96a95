import CBenchSupport

/// Counts what a request or a run of a program that others wrote costs, as far as this machine can: instructions and allocations by
/// valgrind, system calls by strace.
struct OutsideCounts {
  /// Counts all of what a command does, and writes it to files in a directory.
  private struct Tool: Sendable {
    let program: String
    let arguments: @Sendable (_ files: String) -> [String]
    let read: @Sendable (_ folder: String) throws -> [Counter: Double]
  }

  let directory: String
  /// What servers are asked for; nil for programs that end.
  let server: ServerUnderTest.Options?
  let progress: Progress

  /// How many requests are counted: the difference of so many and twice as many, so that a start isn't in it.
  private static let requests = 300
  private static let repetitions = 2

  private static let tools = [
    Tool(
      program: "valgrind",
      arguments: { files in
        [
          "--tool=dhat", "--trace-children=yes", "--dhat-out-file=\(files)/out.%p",
          "--log-file=\(files)/log.%p",
        ]
      }, read: { try readValgrind($0) }),
    Tool(program: "strace", arguments: { ["-f", "-c", "-o", $0 + "/table"] }, read: { try readStrace($0) }),
  ]

  /// The programs that this machine would need to count everything.
  static var missing: [String] { tools.map(\.program).filter { !Peer.isHere($0) } }

  func count(_ command: String, label: String) throws -> Counts {
    defer { progress.clear() }
    var values: [Counter: [Double]] = [:]
    let tools = Self.tools.filter { Peer.isHere($0.program) }
    for (index, tool) in tools.enumerated() {
      for repetition in 0..<Self.repetitions {
        let done = Double(index * Self.repetitions + repetition) / Double(tools.count * Self.repetitions)
        progress.show("counting the \(label) program by \(tool.program)", share: done)
        for (counter, value) in try slope(command, tool) { values[counter, default: []].append(value) }
      }
    }
    return values.mapValues { CountFigure($0, ofTiming: false) }
  }

  private func slope(_ command: String, _ tool: Tool) throws -> [Counter: Double] {
    guard server != nil else { return try total(command, tool, requests: 0) }
    let once = try total(command, tool, requests: Self.requests)
    let twice = try total(command, tool, requests: 2 * Self.requests)
    return twice.reduce(into: [:]) { slope, counter in
      guard let less = once[counter.key] else { return }
      slope[counter.key] = max(0, counter.value - less) / Double(Self.requests)
    }
  }

  private func total(_ command: String, _ tool: Tool, requests: Int) throws -> [Counter: Double] {
    let folder = directory + "/counts-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let counted = ShellWord.command([tool.program] + tool.arguments(folder) + ["/bin/sh", "-c", command])
    if var options = server {
      options.patience = max(options.patience, 120)
      options.connections = 1
      options.grace = 60
      let server = try ServerUnderTest(counted, options: options)
      defer { server.finish() }
      _ = try server.ask(ServerUnderTest.Request(operations: requests, processor: -1))
    } else {
      let program = try TendedProgram(counted, directory: directory, grace: 60)
      defer { program.finish() }
      guard let ending = try program.ending(within: 3600), ending.code == 0 else {
        throw WrongWork("`\(command)` doesn't end well when \(tool.program) counts\(program.lastWords)")
      }
    }
    return try tool.read(folder)
  }

  /// What valgrind's DHAT wrote, a file for each process: instructions are its clock.
  private static func readValgrind(_ folder: String) throws -> [Counter: Double] {
    var counts: [Counter: Double] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      for line in TextFile.lines(of: folder + "/" + name) {
        if line.hasPrefix(",\"te\":") {
          counts[.instructions, default: 0] += Double(line.dropFirst(6)) ?? 0
          if name.hasPrefix("out.") { break }
        } else if let mark = line.firstRange(of: "Total: ") {
          // `Total:     1,602 bytes in 45 blocks`.
          let words = line[mark.upperBound...].split(separator: " ").map { $0.filter { $0 != "," } }
          guard words.count == 5 else { continue }
          counts[.allocatedBytes, default: 0] += Double(words[0]) ?? 0
          counts[.allocations, default: 0] += Double(words[3]) ?? 0
        }
      }
    }
    return counts
  }

  /// Calls that wait, and those that failed since there was nothing to do, depend on timing and are left out.
  private static let waits: Set<Substring> = [
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6", "futex", "nanosleep",
    "clock_nanosleep", "sched_yield", "restart_syscall", "wait4", "rt_sigreturn", "total",
  ]

  private static func readStrace(_ folder: String) throws -> [Counter: Double] {
    var calls = 0.0
    for line in TextFile.lines(of: folder + "/table") {
      // Per cent, seconds, microseconds a call, calls, errors where there are any, name.
      let words = line.split(separator: " ")
      guard words.count >= 5, let name = words.last, !waits.contains(name), let all = Double(words[3]) else {
        continue
      }
      calls += all - (words.count == 6 ? Double(words[4]) ?? 0 : 0)
    }
    return calls > 0 ? [.systemCalls: calls] : [:]
  }
}
