import CUV
import Foundation
import Testing
import UV
import UVTLS
import UVTestSupport

/// One contract of a stream, run on every transport. ``Combination`` generates the rows, ``Run`` does what a
/// row says, and ``Judge`` knows what must be true of all of them.
@Suite(.serialized) struct ContractTests {
  @Test("The table has each row once, and each row that isn't run says why")
  func table() {
    let rows = Combination.all
    let nonsense = rows.filter { $0.nonsense != nil }
    #expect(Set(rows).count == rows.count)
    print("the contract of a stream: \(rows.count) rows, \(rows.count - nonsense.count) of them run")
    for (reason, rows) in Dictionary(grouping: nonsense, by: { $0.nonsense! }) {
      print("  \(rows.count) rows make no sense: \(reason)")
    }
    // A caller has one way to give up beside its timeout. So of each 22 rows two make no sense.
    #expect(nonsense.count == rows.count / 11)
  }

  @Test("A write keeps the contract, whatever happens to it", arguments: Combination.Transport.allCases)
  func rows(transport: Combination.Transport) async throws {
    let context = try Certificates.shared.server()
    let rows = Combination.all.filter { $0.transport == transport && $0.nonsense == nil }
    var paths: [Combination.State: String] = [:]
    for state in Combination.State.allCases {
      let path = Certificates.shared.path("contract-\(state)")
      let row = rows.first { $0.state == state && $0.payload == .file }!
      try Data(Content(row).tested).write(to: URL(fileURLWithPath: path))
      paths[state] = path
    }
    for row in rows {
      let run = Run(row, context, path: paths[row.state]!)
      do {
        switch (transport.isHosted, row.event) {
        case (true, _): try await inHost(run)
        case (false, .loopShutsDown): try await untilShutdown(run)
        case (false, _): try await withLoop { try await run.body($0) }
        }
      } catch { Issue.record("\(row): \(error)") }
      if row.event == .loopShutsDown { run.peer.read() }
      for problem in Judge(row, run.evidence, run.peer.end()).problems() {
        Issue.record("\(row): \(problem)")
      }
    }
  }

  /// Runs the row on a loop that is shut down while the write is under way.
  private func untilShutdown(_ run: Run) async throws {
    try await withThread {
      let loop = try EventLoop()
      let result = Result { try loop.run { try await run.body($0) } }
      loop.shutdown()
      #expect(loop.activity.isIdle, "\(run.combination): \(loop.activity)")
      try result.get()
    }
  }

  /// Runs the row on a loop that belongs to a host, which can close it afterwards.
  private func inHost(_ run: Run) async throws {
    try await withThread {
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
}
