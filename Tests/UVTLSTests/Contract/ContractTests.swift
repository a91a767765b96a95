import CUV
import Testing
import UV
import UVTLS
import UVTestSupport

/// What can be run on a loop of its own, and on a host's.
protocol ContractRun: Sendable {
  var name: String { get }
  var peer: Peer { get }
  var isHosted: Bool { get }
  /// Whether the loop is shut down meanwhile.
  var isShutDown: Bool { get }
  /// Everything that happens on the loop.
  nonisolated(nonsending) func body(_ loop: EventLoop) async throws
}

/// One contract of a stream, run on every transport. ``Combination`` generates the rows, ``Run`` does what a
/// row says, and ``Judge`` knows what must be true of all of them. ``ReadCombination`` and ``ReadRun`` do the same for
/// readers.
@Suite(.serialized) struct ContractTests {
  @Test func `The table has each row once, and each row that isn't run says why`() {
    let rows = Combination.all
    let nonsense = rows.filter { $0.nonsense != nil }
    #expect(Set(rows).count == rows.count)
    print("the contract of a stream: \(rows.count) rows, \(rows.count - nonsense.count) of them run")
    for (reason, rows) in Dictionary(grouping: nonsense, by: { $0.nonsense! }) {
      print("  \(rows.count) rows make no sense: \(reason)")
    }
    // A caller has one way to give up beside its timeout. So two events of a write, one for each caller, make no sense.
    #expect(nonsense.count == rows.count / Combination.Event.allCases.count)
  }

  @Test("A write keeps the contract, whatever happens to it", arguments: Combination.Transport.allCases)
  func rows(transport: Combination.Transport) async throws {
    let context = try Certificates.shared.server()
    try await withTemporaryDirectory { directory in
      for row in Combination.all where row.transport == transport && row.nonsense == nil {
        let path = "\(directory)/contract"
        await check("\(row)") {
          Run(row, context, path: path)
        } problems: {
          Judge(row, $0.evidence, $1).problems()
        }
      }
    }
  }

  @Test("A read keeps the contract, whatever happens to it", arguments: Combination.Transport.allCases)
  func readers(transport: Combination.Transport) async throws {
    let context = try Certificates.shared.server()
    let rows = ReadCombination.all.filter { $0.transport == transport && $0.nonsense == nil }
    print("the contract of readers by \(transport): \(rows.count) rows")
    for row in rows {
      await check("\(row)") {
        ReadRun(row, context)
      } problems: { run, _ in
        run.problems()
      }
    }
  }

  /// Makes and runs a row on a thread of its own, and says what is wrong. In a simulation the thread is that of a
  /// host, whose sockets are simulated.
  private func check<R: ContractRun>(
    _ name: String, _ make: @escaping @Sendable () -> R,
    problems: @escaping @Sendable (R, Peer.Report) -> [String]
  ) async {
    do {
      let problems = try await withThread {
        let run = make()
        if run.isHosted { try Self.inHost(run) } else { try Self.onLoop(run) }
        if run.isShutDown { run.peer.read() }
        return problems(run, run.peer.end())
      }
      for problem in problems { Issue.record("\(name): \(problem)") }
    } catch { Issue.record("\(name): \(error)") }
  }

  /// Runs the row on a loop of its own, which is shut down while it is under way or afterwards.
  private static func onLoop(_ run: some ContractRun) throws {
    let loop = try EventLoop()
    let result = Result { try loop.run { try await run.body($0) } }
    if !run.isShutDown {
      #expect(loop.statistics.isIdle, "left on the loop: \(loop.statistics)")
    }
    loop.shutdown()
    #expect(loop.statistics.isIdle, "\(run.name): \(loop.statistics)")
    try result.get()
  }

  /// Runs the row on a loop that belongs to a host, which can close it afterwards.
  private static func inHost(_ run: some ContractRun) throws {
    let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { raw.deallocate() }
    uv_loop_init(raw)
    let loop = try EventLoop(adopting: raw)
    loop.spawn {
      do { try await run.body(loop) } catch { Issue.record("\(run.name): \(error)") }
      loop.detach()
    }
    uv_run(raw, UV_RUN_DEFAULT)
    #expect(uv_loop_close(raw) == 0, "\(run.name)")
  }
}
