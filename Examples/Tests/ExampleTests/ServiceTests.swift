import Foundation
import Testing
import UV

/// The example of a service, which a `ServiceGroup` of swift-service-lifecycle runs.
@Suite struct ServiceTests {
  @Test(
    "SIGTERM ends the service in good order: a request that is being answered is, and the program ends with code 0"
  )
  func terminate() async throws {
    let status = try await withService { program, client, port in
      try await client.write("two\n").value
      // The server has it, and answers in a moment.
      try await client.loop.sleep(for: .milliseconds(30)).value
      program.terminate()
      #expect(try await client.readLine(limit: 100).value == "two")
      #expect(try await client.readLine(limit: 100).value == nil)
      let isRefused = (try? await client.loop.tcp.connect(host: "127.0.0.1", port: port).value) == nil
      #expect(isRefused)
    }
    #expect(status == 0)
  }

  @Test("SIGUSR1 prints which task waits for which peer, and where it was spawned; the server goes on")
  func snapshot() async throws {
    let status = try await withService { program, client, port in
      program.sendUser1()
      #expect(try program.line(containing: ": running") == "loop 1: running")
      let here = try client.localAddress()
      let task = try program.line(containing: "read 127.0.0.1:\(port) ← \(here), until")
      #expect(task.contains("Service/main.swift:"))
      #expect(try program.line(containing: "tcp 127.0.0.1:\(port)  ").contains("listener, accepts"))
      try await client.write("two\n").value
      #expect(try await client.readLine(limit: 100).value == "two")
      client.close()
      program.terminate()
    }
    #expect(status == 0)
  }

  @Test("SIGINT cancels the service at once, and the group says so")
  func interrupt() async throws {
    _ = try await withService { program, client, _ in
      program.interrupt()
      // Nobody answers any more. The end comes as one, or as a reset.
      let answer = try? await client.readLine(limit: 100).value
      #expect(answer == nil)
    }
  }

  /// Starts the example, and calls `body` with a client whose first line it has answered.
  ///
  /// - Returns: The code with which the program has ended.
  private func withService(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (RunningProgram, TCPConnection, _ port: Int) async throws ->
      Void
  ) async throws -> Int32 {
    // Sound: one thread after the other uses it. Made here, because Foundation's processes keep descriptors
    // of their thread.
    nonisolated(unsafe) let program = try RunningProgram(example: "Service", mergesErrors: true)
    try await withLoop { loop in
      let line = try program.line(containing: "listening on")
      let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await client.write("one\n").value
      #expect(try await client.readLine(limit: 100).value == "one")
      try await body(program, client, port)
    }
    return try program.end().status
  }
}
