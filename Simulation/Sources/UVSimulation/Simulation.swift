import CSimulation

/// A run of a world: several hosts in one process, without a network and without waiting.
///
/// The same program and the same libuv run on another kernel. Each choice of that kernel comes from a seed,
/// so that a run can be repeated:
///
/// ```swift
/// try Simulation(seed: 7) { world in
///   world.host("clock") { loop in
///     for try await _ in loop.ticks(every: .seconds(1)).prefix(86_400) {}
///   }
/// }
/// ```
///
/// The value says what happened. Two runs with the same seed and the same program have the same ``digest``.
///
/// Only one world runs at a time in a process; another thread that wants to run one waits.
public struct Simulation: Sendable {
  /// The seed that every choice was drawn from.
  public let seed: UInt64
  /// A number that depends on each call that the hosts made, and on its result.
  public let digest: UInt64
  /// How long the run took on the world's clock.
  public let duration: Duration
  /// How many calls the hosts made.
  public let steps: UInt64
  /// How many faults of the weather were due: reads and writes that were cut, packets that were lost or
  /// doubled, calls that were interrupted or refused. They are numbered from 0.
  public let faultCount: Int
  /// The last calls, in order; see the initializer's `traceLength`.
  public let trace: [TraceEntry]
  /// The names of the hosts.
  public let hosts: [String]
  /// What was done to the world, in order.
  public let faults: [WorldFault]

  /// Runs a world, and returns once it has ended.
  ///
  /// The world ends when `body` has returned and each client has ended. If there is no client, each host must
  /// have ended. Hosts that still run are then asked to stop.
  ///
  /// - Parameters:
  ///   - seed: Where each choice comes from. With nil, it is the seed of ``SimulationSetting/current``.
  ///   - limit: How much time may pass on the world's clock. After that the run fails.
  ///   - weather: How bad the network is. With nil, it is the weather of ``SimulationSetting/current``.
  ///   - faults: The numbers of the faults that happen, if not all that are due do; see ``faultCount``.
  ///   - traceLength: How many of the last calls ``trace`` keeps; 1 or more.
  ///   - body: Sets up the world: adds hosts, lets time pass, and breaks things. It runs on a thread of the
  ///     world's own.
  /// - Throws: A ``SimulationError`` that says the seed, if `body` or a host throws, if nobody can ever go on
  ///   although somebody waits, if the limit is reached, or if a host calls what can't be simulated. If the
  ///   environment variable `UV_SIMULATION_PAGE` has a path, the error's page is written there.
  @discardableResult
  public init(
    seed: UInt64? = nil, limit: Duration = .seconds(2 * 86_400), weather: Weather? = nil,
    faults: [Int]? = nil,
    traceLength: Int = 1024, _ body: @escaping (World) throws -> Void
  ) throws(SimulationError) {
    let setting = SimulationSetting.current
    let seed = seed ?? setting.seed
    self.seed = seed
    let numbers = faults.map { $0.sorted().map(UInt32.init) }
    // Sound: freed when the run is over.
    let allowed = numbers.map { numbers in
      let copy = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: numbers.count + 1)
      _ = copy.initialize(from: numbers)
      return copy
    }
    defer { allowed?.deallocate() }
    var capacity: UInt32 = 1
    while capacity < traceLength { capacity *= 2 }
    var options = sim_options(
      seed: seed, limit: UInt64(nanoseconds: limit), trace_capacity: capacity,
      faults: allowed.map { UnsafePointer($0.baseAddress!) },
      fault_count: UInt32(numbers?.count ?? 0), keeps_disk: false)
    func impossible(_ reason: SimulationError.Reason) -> SimulationError {
      SimulationError(
        seed: seed, reason: reason, time: .zero, faults: [], faultCount: 0, report: "", repetition: nil,
        hosts: [], trace: [])
    }
    if let problem = Self.linkageProblem { throw impossible(.notSimulated(problem)) }
    guard sim_begin(&options) else { throw impossible(.nested) }
    defer { sim_end() }
    let weather = weather ?? setting.weather
    var sky = weather.raw
    sim_set_weather(&sky)
    let script = Script(World(seed: seed, weather, setting.repetition), body)
    // Sound: it lives until the world has ended.
    let context = Unmanaged.passRetained(script)
    let hasReturned = sim_run(
      { Unmanaged<Script>.fromOpaque($0!).takeUnretainedValue().run() }, context.toOpaque())
    digest = sim_digest()
    duration = .nanoseconds(sim_now())
    steps = sim_steps()
    faultCount = Int(sim_faults())
    trace = TraceEntry.all()
    hosts = script.world.hosts.map(\.name)
    self.faults = script.world.faults
    let failure = sim_failure().map { String(cString: $0) }
    // A world that was cut off still refers to it on its stack.
    if hasReturned { context.release() }
    if script.error == nil, hasReturned, failure == nil { return }
    let world = script.world
    let error =
      script.error
      ?? world.failure(
        world.violation.map { .violated($0) } ?? failure.map { .notSimulated($0) } ?? .limit,
        report: world.waits())
    error.writePage()
    throw error
  }

  /// Why the program can't run worlds, because of how it was linked.
  private static let linkageProblem = sim_linkage_problem().map { String(cString: $0) }

  /// How many calls the hosts of the world that runs now have made.
  public static var stepsSoFar: Int { Int(sim_steps()) }

  /// The first call in which two runs differ; nil if they don't. It is one of the calls that both ``trace``s
  /// keep.
  public func firstDifference(from other: Simulation) -> (here: TraceEntry?, there: TraceEntry?)? {
    if digest == other.digest { return nil }
    let start = max(trace.first?.number ?? 0, other.trace.first?.number ?? 0)
    let (here, there) = (trace.drop { $0.number < start }, other.trace.drop { $0.number < start })
    for (one, two) in zip(here, there) where one != two { return (one, two) }
    let common = min(here.count, there.count)
    return (here.dropFirst(common).first, there.dropFirst(common).first)
  }
}

extension UInt64 {
  /// A duration in nanoseconds; 0 if it is negative, and the largest number if it is too long.
  init(nanoseconds duration: Duration) {
    let (seconds, attoseconds) = duration.components
    if seconds < 0 || attoseconds < 0 {
      self = 0
      return
    }
    let (product, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    self = isTooLong ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
  }
}

/// What the world's own thread runs.
private final class Script {
  let world: World
  let body: (World) throws -> Void
  var error: SimulationError?

  init(_ world: World, _ body: @escaping (World) throws -> Void) {
    self.world = world
    self.body = body
  }

  func run() {
    do {
      try body(world)
      try world.finish()
    } catch let error as SimulationError {
      self.error = error
    } catch {
      self.error = world.failure(.thrown(error))
    }
    world.stopHosts()
  }
}
