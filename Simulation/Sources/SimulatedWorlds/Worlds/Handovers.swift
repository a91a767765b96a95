import UV
import UVSimulation

/// A service whose processes take over from each other while clients come, and which are killed at any moment of it. As
/// long as a process has the listening socket, no client is refused; and a client loses its answer only when a process was
/// killed. After the last process the socket's file is gone.
func handovers(_ world: World, _ ledger: Ledger) throws {
  let isLocal = world.random(below: 2) == 0
  let service = ReplacedService()
  world.executable("service") { loop, _ in try await serve(loop, service, isLocal) }
  let clients = (1 + world.random(below: 3), rounds: 4 + world.random(below: 8))
  let waiting = Shared(clients.0)
  @Sendable func visit(_ loop: EventLoop) async throws {
    defer { waiting.value -= 1 }
    for _ in 0..<clients.rounds {
      while try await !isAnswered(loop, service, isLocal) {
        try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(300)))).value
      }
      try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(3000)))).value
    }
  }
  world.node("server") { loop in
    let visits =
      isLocal ? (0..<clients.0).map { _ in loop.spawn { () async throws in try await visit(loop) } } : []
    try await supervise(loop, service) { waiting.value == 0 }
    for visit in visits { try await visit.value }
    guard isLocal, service.killed == 0 else { return }
    do throws(UVError) {
      _ = try await loop.files.stat(socketFile).value
      throw UVError(.invalidArgument, operation: "the socket's file is left")
    } catch { try expect(error.code == .noSuchFile, "\(error)") }
  }
  guard !isLocal else { return }
  for client in 0..<clients.0 { world.node("client \(client)") { loop in try await visit(loop) } }
}

private let socketFile = "/tmp/service"

// Sound: one thread of a world runs at a time.
/// What is known of the processes of a service, by whoever could see all of them.
private final class ReplacedService: @unchecked Sendable {
  /// Those that run, and those of them that have the listening socket.
  private(set) var running: Set<Int32> = []
  private(set) var listening: Set<Int32> = []
  /// How many of them were killed, and how often nobody has listened.
  private(set) var killed = 0
  private(set) var gaps = 0
  var isOver = false

  func begins(_ process: Int32) { running.insert(process) }

  func listens(_ process: Int32) { listening.insert(process) }

  func ceasesToListen(_ process: Int32) {
    if listening.remove(process) != nil, listening.isEmpty { gaps += 1 }
  }

  func ends(_ process: Int32) {
    ceasesToListen(process)
    running.remove(process)
  }

  func isKilled(_ process: Int32) {
    // It may have connections still, although it doesn't listen any more.
    if running.contains(process) { killed += 1 }
    ends(process)
  }

  /// The successor of a process is given up.
  func areKilled(except process: Int32) {
    for other in running where other != process { isKilled(other) }
  }
}

/// Keeps one process of the service running, as a service manager does, and kills one now and then.
private func supervise(_ loop: EventLoop, _ service: ReplacedService, until isOver: () -> Bool) async throws {
  let kills = loop.isDrawn(oneIn: 3) ? 0 : 1 + loop.draw(6)
  var (left, last) = (kills, Int32(0))
  while !isOver() || !service.running.isEmpty {
    service.isOver = isOver()
    if service.running.isEmpty, !service.isOver {
      let child = try loop.processes.spawn("service", isDetached: true)
      last = max(last, child.processID)
      loop.spawn { _ = try? await child.exit().value }
    }
    try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(700)))).value
    guard left > 0, loop.isDrawn(oneIn: 3) else { continue }
    // One that has begun, or one that a process has just started.
    last = max(last, service.running.max() ?? 0)
    let known = service.running.sorted()
    let victim = known.isEmpty || loop.isDrawn(oneIn: 3) ? last + 1 : known[loop.draw(known.count)]
    if (try? loop.processes.kill(victim, .kill)) != nil {
      left -= 1
      service.isKilled(victim)
    }
  }
}

/// One process of the service: it listens, says that it is ready, and after a while has a successor.
private nonisolated(nonsending) func serve(
  _ loop: EventLoop, _ service: ReplacedService, _ isLocal: Bool
) async throws -> Int {
  let process = SystemInfo.processID
  service.begins(process)
  defer { service.ends(process) }
  try await loop.dawdle()
  // Some hang before they listen, until somebody ends them.
  if loop.isDrawn(oneIn: 10) { try await loop.sleep(for: .seconds(20)).value }
  do throws(UVError) {
    if isLocal {
      answer(loop, try loop.pipes.listen(path: socketFile, replacesStale: true))
    } else {
      answer(loop, try loop.tcp.listen(port: 7))
    }
  } catch {
    // Somebody has it whom the supervisor doesn't know yet.
    try expect(error.code == .addressInUse, "\(error)")
    return 1
  }
  service.listens(process)
  try await loop.dawdle()
  try ServiceManager.notify(.ready)
  while !service.isOver {
    try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(2000)))).value
    if service.isOver { break }
    if try await hasSuccessor(loop, service, process) { break }
  }
  try await loop.dawdle()
  service.ceasesToListen(process)
  _ = try await loop.shutdownGracefully(within: .seconds(3600)).value
  return 0
}

/// Whether a successor has begun, which may have been given up or killed meanwhile.
private nonisolated(nonsending) func hasSuccessor(
  _ loop: EventLoop, _ service: ReplacedService, _ process: Int32
) async throws -> Bool {
  let result = Shared<Result<Int32, UVError>?>(nil)
  let limit = Duration.seconds(loop.isDrawn(oneIn: 2) ? 5 : 60)
  let handover = loop.handover("service", [], within: limit) { result.value = $0 }
  if loop.isDrawn(oneIn: 4) {
    try await loop.sleep(for: .milliseconds(Int64(loop.draw(400)))).value
    if result.value == nil {
      // The successor may listen already, and have connections.
      service.areKilled(except: process)
      handover.cancel()
    }
  }
  while result.value == nil { try await loop.sleep(for: .milliseconds(5)).value }
  guard case .failure(let error) = result.value else { return true }
  try expect(
    [.cancelled, .timedOut, .connectionAborted].contains(error.code), "a handover has failed: \(error)")
  if error.code == .timedOut { service.areKilled(except: process) }
  return false
}

/// Answers each line of each connection.
private func answer<Source: EventSource>(_ loop: EventLoop, _ listener: Source)
where Source.Element: ByteStream {
  loop.spawn {
    while let connection = try? await listener.next().value {
      loop.spawn {
        defer { connection.close() }
        guard let line = try? await connection.readLine(limit: 100).value else { return }
        try? await loop.dawdle()
        try? await connection.write(["did ", line, "\n"]).value
        try? await connection.shutdown().value
        while let bytes = try? await connection.next().value, !bytes.isEmpty {}
      }
    }
  }
}

/// Asks for an answer. Says false if there was none, for a reason that is allowed.
private func isAnswered(_ loop: EventLoop, _ service: ReplacedService, _ isLocal: Bool) async throws -> Bool {
  let (killed, gaps, wasListening) = (service.killed, service.gaps, !service.listening.isEmpty)
  do throws(UVError) {
    let stream: ByteStream =
      isLocal
      ? try await loop.pipes.connect(path: socketFile).value
      : try await loop.tcp.connect(host: "server", port: 7).timeout(after: .seconds(60)).value
    defer { stream.close() }
    stream.idleTimeout = .seconds(60)
    try await loop.dawdle()
    try await stream.write("one\n").value
    let line = try await stream.readLine(limit: 100).value
    if line == nil { throw UVError(.endOfFile, operation: "read") }
    return line == "did one"
  } catch {
    let isWeather = error.code == .timedOut && !isLocal
    let mayBeRefused = !wasListening || gaps != service.gaps
    let isRefused = error.code == .connectionRefused || error.code == .noSuchFile
    try expect(
      isWeather || mayBeRefused || (!isRefused && killed != service.killed),
      "a client has lost its answer: \(error)")
    return false
  }
}
