import Foundation
import Testing
import UV
import UVTestSupport

/// A handover that fails changes nothing, at whatever step: the next one fares as the first one would.
@Suite(.serialized, .onTheMachine("processes that take over sockets")) struct FailedHandoverTests {
  private nonisolated(nonsending) static func code(
    _ loop: EventLoop, _ program: String = "/bin/true", _ arguments: [String] = []
  )
    async -> UVError.Code?
  {
    await UVTestSupport.code { () async throws(UVError) in
      _ = try await loop.handover(program, arguments, within: .seconds(20)).value
    }
  }

  @Test("Whatever fails first, again and again, the next handover begins anew") func again() async throws {
    try await withLoop { loop in
      for _ in 0..<2 {
        // Nothing listens.
        for _ in 0..<2 { #expect(await Self.code(loop) == .invalidArgument) }
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        #expect(await Self.code(loop, "/no/such/program") == .noSuchFile)
        // It ends before it is ready.
        for _ in 0..<2 { #expect(await Self.code(loop) == .connectionAborted) }
        let log = Log<UVError.Code?>()
        let pending = loop.handover("/bin/sleep", ["60"]) { log.append($0.error?.code) }
        // There is one already, which begins.
        for _ in 0..<2 { #expect(await Self.code(loop) == .alreadyInProgress) }
        pending.cancel()
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [.cancelled])
        try await loop.until { loop.statistics.handles == 1 }
        #expect(await Self.code(loop) == .connectionAborted)
        // The listener is as before.
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let server = try await listener.accept().value
        try await server.write("here").value
        #expect(try await client.next().value == "here")
        for stream in [client, server] { stream.close() }
        try await listener.close().value
      }
      #expect(await Self.code(loop) == .invalidArgument)
    }
  }

  @Test("A successor that was ready and has ended is none") func ended() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for _ in 0..<2 {
        let successor = try await loop.handover("/bin/sh", ["-c", "printf 1 >&3; exec sleep 60"]).value
        #expect(await Self.code(loop) == .alreadyInProgress)
        try loop.processes.kill(successor, .kill)
        try await loop.settle(untilGone: successor)
        var code = await Self.code(loop)
        // The process is gone a little before the loop has heard of it.
        while code == .alreadyInProgress { code = await Self.code(loop) }
        #expect(code == .connectionAborted)
      }
      listener.close()
    }
  }
}
