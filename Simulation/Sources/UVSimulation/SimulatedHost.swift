import CSimulation
import Glibc
import UV

// Sound: one thread of a world runs at a time.
/// A host of a world: a machine with one program.
public final class SimulatedHost: @unchecked Sendable {
  /// The host's name.
  public let name: String
  /// Whether the world waits for its end.
  public let isClient: Bool
  /// What its program threw.
  public private(set) var error: (any Error)?

  let raw: OpaquePointer
  private let main: @Sendable (SimulatedHost) throws -> Void
  private var executor: LoopExecutor?

  init(_ name: String, isClient: Bool, _ main: @escaping @Sendable (SimulatedHost) throws -> Void) {
    self.name = name
    self.isClient = isClient
    self.main = main
    raw = sim_host_add(name)
  }

  /// Whether its program has ended, or was cut off.
  public var hasEnded: Bool { sim_host_has_ended(raw) }

  /// Its address of IPv4. It has one of IPv6, too, and its name can be resolved on other hosts.
  public var address: String { "10.0.0.\(sim_host_number(raw))" }

  /// How many descriptors its program has open.
  public var openDescriptors: Int { Int(sim_host_descriptors(raw)) }

  /// How many descriptors the host of the calling thread has open; 0 on a thread of no world.
  public static var openDescriptorsHere: Int { sim_host_current().map { Int(sim_host_descriptors($0)) } ?? 0 }

  /// Waits until Swift's global pool has nothing to do on the host of the calling thread. A program ends with
  /// its main thread, whatever its detached tasks do.
  public static func waitForDetachedTasks() {
    while sim_is_simulated(), sim_pool_is_busy() { usleep(100) }
  }

  func crash() {
    executor = nil
    sim_host_crash(raw)
  }

  func kill() {
    executor = nil
    sim_host_kill(raw)
  }

  func start() {
    executor = nil
    // Balanced by the thread.
    let context = Unmanaged.passRetained(self).toOpaque()
    sim_host_start(raw, { Unmanaged<SimulatedHost>.fromOpaque($0!).takeRetainedValue().run() }, context)
  }

  private func run() {
    do { try main(self) } catch { self.error = error }
    executor = nil
  }

  func runLoop(
    _ program: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) throws {
    let body: nonisolated(nonsending) @Sendable (EventLoop) async throws -> Void = { loop in
      loop.name = self.name
      self.executor = loop.executor
      try await program(loop)
    }
    try EventLoop.run(body)
  }

  /// Asks its loop to stop.
  func stop() { call { $0.stop() } }

  /// Calls `body` as if a thread of the host did.
  private func call(_ body: (LoopExecutor) -> Void) {
    guard let executor else { return }
    withoutActuallyEscaping({ body(executor) }) { body in
      var body = body
      withUnsafeMutablePointer(to: &body) { pointer in
        // Sound: the call is over when it returns.
        sim_host_call(raw, { $0!.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
      }
    }
  }

  /// What its loop waits for; nil if it doesn't say.
  func snapshot() -> String? {
    let answer = Answer()
    call { executor in
      try? executor.execute { loop in
        answer.text = "\(loop.snapshot())"
        sim_notify()
      }
    }
    let end = sim_now() + 1_000_000_000
    while answer.text == nil, sim_wait(end) == SIM_WOKEN {}
    return answer.text
  }
}

// Sound: one thread of a world runs at a time.
private final class Answer: @unchecked Sendable {
  var text: String?
}
