import CSimulation
public import UV

/// The hosts of a simulation, and what surrounds them. The closure of ``Simulation`` gets it.
///
/// Use it in that closure alone.
public final class World {
  /// The seed that every choice is drawn from.
  public let seed: UInt64
  /// The hosts, in the order in which they were added.
  public private(set) var hosts: [SimulatedHost] = []

  /// What was done to the world, in order.
  public private(set) var faults: [WorldFault] = []

  var checks: [Check] = []
  /// The first statement that wasn't true.
  var violation: String?
  /// Counts what was begun and ended with `disturb` and `calmDown`.
  var disturbance = 0

  /// The programs that hosts may start, which live as long as the world.
  var executables: [Executable] = []

  private let repetition: String?

  /// How bad the network is.
  public internal(set) var weather: Weather

  init(seed: UInt64, _ weather: Weather, _ repetition: String? = nil) {
    self.seed = seed
    self.weather = weather
    self.repetition = repetition
  }

  func note(_ fault: String) { faults.append(WorldFault(time: now, text: fault)) }

  /// How much time has passed in the world.
  public var now: Duration { .nanoseconds(sim_now()) }

  // MARK: Hosts

  /// Adds a host, which runs `program` on an event loop of its own.
  ///
  /// The program is one as it would be for a machine: `EventLoop.run` calls it. If there are clients, the
  /// world ends with them, and a host is asked to stop then. So a host may serve without end.
  ///
  /// - Parameters:
  ///   - name: The host's name, which no other host has.
  ///   - program: What the host runs. If it throws, the run fails.
  @discardableResult
  public func host(
    _ name: String,
    _ program: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) -> SimulatedHost {
    add(name, isClient: false) { host in try host.runLoop(program) }
  }

  /// Adds a host whose end the world waits for; see ``host(_:_:)``.
  @discardableResult
  public func client(
    _ name: String,
    _ program: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) -> SimulatedHost {
    add(name, isClient: true) { host in try host.runLoop(program) }
  }

  /// Adds a host that runs a program which makes its own loops, such as one of callbacks.
  ///
  /// - Parameters:
  ///   - name: The host's name, which no other host has.
  ///   - isClient: Whether the world waits for its end.
  ///   - main: What the host's main thread runs. The world can't ask it to stop: if it hasn't ended with the
  ///     world, it is
  ///     dropped.
  @discardableResult
  public func program(_ name: String, isClient: Bool = true, _ main: @escaping @Sendable () throws -> Void)
    -> SimulatedHost
  {
    add(name, isClient: isClient) { _ in try main() }
  }

  private func add(
    _ name: String, isClient: Bool, _ main: @escaping @Sendable (SimulatedHost) throws -> Void
  ) -> SimulatedHost {
    precondition(!hosts.contains { $0.name == name }, "the world has a host \"\(name)\" already")
    let host = SimulatedHost(name, isClient: isClient, main)
    hosts.append(host)
    host.start()
    return host
  }

  // MARK: Time

  /// Lets time pass.
  ///
  /// - Throws: A ``SimulationError`` if a host throws meanwhile, or does what can't be simulated.
  public func sleep(for duration: Duration) throws {
    let (end, isNever) = sim_now().addingReportingOverflow(UInt64(nanoseconds: duration))
    try wait(until: isNever ? .max : end) { false }
  }

  /// Waits until a host has ended.
  ///
  /// - Throws: A ``SimulationError`` if a host throws, if nobody can go on, or if the world's time is used
  ///   up.
  public func wait(for host: SimulatedHost) throws { try wait { host.hasEnded } }

  /// A number that is drawn from the seed.
  ///
  /// - Parameters:
  ///   - bound: The number is less than that; 1 or more.
  ///   - stream: What it is for. Numbers of one stream don't depend on how many were drawn from others.
  public func random(below bound: UInt64, for stream: String = "world") -> UInt64 { sim_draw(stream, bound) }

  private func wait(until end: UInt64 = .max, _ isDone: () -> Bool) throws {
    while true {
      if let violation { throw failure(.violated(violation)) }
      if let text = sim_failure() { throw failure(.notSimulated(String(cString: text))) }
      for host in hosts { if let error = host.error { throw failure(.hostFailed(host.name, error)) } }
      if isDone() { return }
      switch sim_wait(end) {
      case SIM_TIMED_OUT: return
      case SIM_STUCK: throw failure(.deadlock, report: snapshots())
      case SIM_LIMIT: throw failure(.limit, report: snapshots())
      default: continue
      }
    }
  }

  // MARK: The end

  /// Waits until the world may end.
  func finish() throws {
    try wait {
      let clients = hosts.filter(\.isClient)
      return (clients.isEmpty ? hosts : clients).allSatisfy(\.hasEnded)
    }
    checkLast()
    if let violation { throw failure(.violated(violation)) }
  }

  /// Asks the hosts that still run to stop, and gives them a minute.
  func stopHosts() {
    for host in hosts where !host.hasEnded {
      sim_host_pause(host.raw, false)
      host.stop()
    }
    let end = sim_now() + 60_000_000_000
    while !hosts.allSatisfy(\.hasEnded) {
      if sim_failure() != nil || sim_wait(end) != SIM_WOKEN { return }
    }
  }

  func failure(_ reason: SimulationError.Reason, report: String = "") -> SimulationError {
    SimulationError(
      seed: seed, reason: reason, time: now, faults: faults, faultCount: Int(sim_faults()), report: report,
      repetition: repetition, hosts: hosts.map(\.name), trace: TraceEntry.all())
  }

  /// What the loop of each host waits for.
  private func snapshots() -> String {
    var lines: [String] = []
    for host in hosts where !host.hasEnded {
      if let text = host.snapshot() { lines.append("host \"\(host.name)\":\n\(text)") }
    }
    return (lines + [waits()]).joined(separator: "\n")
  }

  /// In which calls the threads of the hosts wait.
  func waits() -> String {
    let length = sim_describe_waits(nil, 0)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text in
      text[0] = 0
      _ = sim_describe_waits(text.baseAddress, length + 1)
      return String(cString: text.baseAddress!)
    }
  }
}
