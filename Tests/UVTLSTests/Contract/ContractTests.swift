import CUV
import Testing
import UV
import UVTLS
import UVTestSupport

/// One contract of a stream, run on every transport. ``Combination`` generates the rows, ``Run`` does what a
/// row says, and ``Judge`` knows what must be true of all of them.
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
        do {
          let problems = try await withThread { try Self.problems(row, context, path) }
          for problem in problems { Issue.record("\(row): \(problem)") }
        } catch { Issue.record("\(row): \(error)") }
      }
    }
  }

  /// Runs the row on the thread that calls, and says what is wrong.
  private static func problems(
    _ row: Combination, _ context: TLSContext, _ path: String
  ) throws -> [String] {
    let run = Run(row, context, path: path)
    if row.transport.isHosted { try inHost(run) } else { try onLoop(run) }
    if row.event == .loopShutsDown { run.peer.read() }
    return Judge(row, run.evidence, run.peer.end()).problems()
  }

  /// Runs the row on a loop of its own, which is shut down while the write is under way or afterwards.
  private static func onLoop(_ run: Run) throws {
    let loop = try EventLoop()
    let result = Result { try loop.run { try await run.body($0) } }
    if run.combination.event != .loopShutsDown {
      #expect(loop.activity.isIdle, "left on the loop: \(loop.activity)")
    }
    loop.shutdown()
    #expect(loop.activity.isIdle, "\(run.combination): \(loop.activity)")
    try result.get()
  }

  /// Runs the row on a loop that belongs to a host, which can close it afterwards.
  private static func inHost(_ run: Run) throws {
    let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { raw.deallocate() }
    uv_loop_init(raw)
    let loop = try EventLoop(adopting: raw)
    loop.spawn {
      do { try await run.body(loop) } catch { Issue.record("\(run.combination): \(error)") }
      loop.detach()
    }
    uv_run(raw, UV_RUN_DEFAULT)
    #expect(uv_loop_close(raw) == 0, "\(run.combination)")
  }
}
