#if Everything
import Testing
import UV
import UVPromises
import UVTestSupport

/// Newer things of a loop, on one that a host runs and that leaves it in the middle of them.
@Suite struct HostedChainTests {
  /// Begins chains that wait for a timer, and notes how each ends.
  private static func begin(_ loop: EventLoop, _ time: Duration, _ log: Log<String>, _ name: String) {
    for number in 0..<100 {
      loop.sleep(for: time).promise()
        .then { Promise.value(number) }.map { $0 * 2 }
        .done { log.append("\(name) \($0)") }
        .catch(policy: .allErrors) { log.append("\(name) \(($0 as? UVError)?.name ?? "\($0)")") }
    }
  }

  @Test(arguments: [true, false])
  func `Chains end with the loop that leaves, and their steps serve the other one of its thread`(
    isFirst: Bool
  )
    async throws
  {
    try await withHost { host in
      let loops = [try EventLoop(adopting: host.loop), try EventLoop(adopting: host.loop)]
      let (leaving, staying) = isFirst ? (loops[0], loops[1]) : (loops[1], loops[0])
      let log = Log<String>()
      Self.begin(leaving, .seconds(60), log, "leaving")
      Self.begin(staying, .milliseconds(1), log, "staying")
      leaving.detach()
      host.run()
      let values = (0..<100).map { "staying \($0 * 2)" }
      #expect(
        log.values.filter { $0.hasPrefix("leaving") } == Array(repeating: "leaving ECANCELED", count: 100))
      #expect(log.values.filter { $0.hasPrefix("staying") }.sorted() == values.sorted())
      Self.begin(staying, .milliseconds(1), log, "later")
      host.run()
      #expect(log.values.filter { $0.hasPrefix("later") }.count == 100)
      staying.detach()
      host.run()
    }
  }

  @Test func `A child has its terminal on a loop that a host runs, and is hung up when that leaves`()
    async throws
  {
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      let log = Log<String>()
      loop.spawn {
        do {
          let child = try loop.processes.spawn(
            "/bin/sh", ["-c", "stty size; read line"], terminal: TerminalSize(columns: 123, rows: 45))
          log.append("\(try await child.terminal!.read(until: "\r\n", limit: 100).value!)")
          child.exit { log.append("\((try? $0.get())?.signal.map { "\($0)" } ?? "no answer")") }
          loop.detach()
          _ = try await child.terminal!.next().value
        } catch { log.append("\((error as? UVError)?.name ?? "\(error)")") }
      }
      host.run()
      #expect(log.values.first == "45 123")
      #expect(log.values.contains("ECANCELED"), "\(log.values)")
      // Nothing of it keeps the host, and the child has lost its terminal.
    }
  }
}
#endif
