#if Everything
import Foundation
import Synchronization
import Testing
import UVDiagnostics
import UVStalls
import UVTestSupport

/// What pages about loops say.
@Suite(.serialized) struct DiagnosticsTests {
  @Test("The page of a loop has its tasks by place, its connections by state, its turns and its counts")
  func oneLoop() async throws {
    try await withLoop { loop in
      loop.name = "the only one"
      try loop.configure(.lag)
      let page = try loop.diagnostics.listen(on: .port(0))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      let readers = (0..<3).map { _ in
        loop.spawn { try? await loop.sleep(for: .seconds(60)).value }
      }
      let reading = loop.spawn { _ = try? await connection.next().value }
      try await loop.sleep(for: .milliseconds(1)).value
      let answer = try await loop.ask(page.url(of: "snapshot.json"))
      #expect(answer.status == 200 && answer.fields[.contentType] == "application/json")
      #expect(try answer.part(["loops", 0, "name"]) as? String == "the only one")
      #expect(try answer.part(["loops", 0, "answers"]) as? Bool == true)
      #expect(try answer.part(["loops", 0, "stallsWatched"]) as? Bool == false)
      let tasks = try #require(try answer.part(["loops", 0, "tasks"]) as? [[String: Any]])
      // The three first, as there are most of them.
      #expect(tasks.first?["count"] as? Int == 3 && tasks.first?["waiting"] as? Int == 3)
      #expect((tasks.first?["place"] as? String)?.contains("DiagnosticsTests.swift:") == true)
      #expect(try answer.part(["loops", 0, "connections", "listeners"]) as? Int == 1)
      #expect(try answer.part(["loops", 0, "connections", "accepted", "reading"]) as? Int == 1)
      let lengths = try #require(try answer.part(["loops", 0, "lag", "lengths"]) as? [[Double]])
      let turns = try answer.part(["loops", 0, "lag", "turns"]) as? Double
      #expect(lengths.map { $0[0] } == lengths.map { $0[0] }.sorted())
      #expect(lengths.reduce(0) { $0 + $1[1] } == turns)
      #expect(try answer.part(["loops", 0, "figures", "uv.connections.accepted"]) as? Int == 1)
      let listed = try answer.part(["loops", 0, "snapshot", "tasks", "count"]) as? Int
      #expect(listed == tasks.reduce(0) { $0 + ($1["count"] as? Int ?? 0) })
      #expect(try answer.part(["process", "id"]) as? Int32 == getpid())
      readers.forEach { $0.cancel() }
      reading.cancel()
      for handle in [listener, client, connection] as [Handle] { handle.close() }
      page.close()
      await page.ended()
    }
  }

  @Test("A loop that is stuck is shown as silent, with the function that blocks it; the others answer")
  func stuck() async throws {
    let release = Atomic(false)
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let blocked = group.executors[1]
      try await blocked.submit { loop throws(UVError) in
        loop.name = "stuck"
        try loop.watchStalls(longerThan: .milliseconds(20)) { _ in }
      }
      var diagnostics = group.diagnostics
      diagnostics.executors.append(loop.executor)
      diagnostics.patience = .milliseconds(20)
      let page = try diagnostics.listen(on: .port(0))
      try blocked.execute { _ in holdTheLoop(until: release) }
      var answer = try await loop.ask(page.url(of: "snapshot.json"))
      while try answer.part(["loops", 1, "stalls", 0, "goesOn"]) as? Bool != true
        || answer.part(["loops", 1, "answers"]) as? Bool != false
      {
        answer = try await loop.ask(page.url(of: "snapshot.json"))
      }
      #expect(try answer.part(["loops", 1, "name"]) as? String == "stuck")
      #expect(try answer.part(["loops", 1, "silentFor"]) as? Double ?? 0 > 0)
      #expect(try answer.part(["loops", 1, "figures"]) == nil)
      let function = try answer.part(["loops", 1, "stalls", 0, "function"]) as? String
      #expect(function?.contains("holdTheLoop") == true, "\(answer.text)")
      #expect(try answer.part(["loops", 0, "answers"]) as? Bool == true)
      #expect(try answer.part(["loops", 2, "answers"]) as? Bool == true)
      let metrics = try await loop.ask(page.url(of: "metrics"))
      #expect(metrics.text.contains("uv_eventloop_answers{loop=\"stuck\"} 0\n"))
      release.store(true, ordering: .relaxed)
      while try answer.part(["loops", 1, "answers"]) as? Bool != true {
        answer = try await loop.ask(page.url(of: "snapshot.json"))
      }
      #expect(try answer.part(["loops", 1, "figures", "uv.eventloop.stalls"]) as? Int ?? 0 >= 1)
      #expect(try answer.part(["loops", 1, "stalls", 0, "goesOn"]) as? Bool == false)
      _ = await group.shutdownGracefully(within: .zero)
      // Of loops that have ended nothing is shown.
      answer = try await loop.ask(page.url(of: "snapshot.json"))
      #expect(try (answer.part(["loops"]) as? [Any])?.count == 1)
      page.close()
      await page.ended()
    }
  }

  @Test("A page ends when the loops that it shows have ended")
  func end() async throws {
    let page = try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result { try EventLoop.run { loop in try loop.diagnostics.listen(on: .port(0)) } })
      }.start()
    }
    await page.ended()
    try await withLoop { loop in
      await #expect(throws: UVError.self) { try await loop.ask(page.url) }
    }
  }

  @Test(
    "A server of one's own shows the page where it likes, in each style, on the loop that is shown itself")
  func ownServer() async throws {
    try await withLoop { loop in
      var diagnostics = loop.diagnostics
      diagnostics.token = "a-token-of-my-own"
      let handler = try diagnostics.handler(on: loop)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn {
        for try await exchange in server { try await handler.answer(exchange).value }
      }
      let place = "http://\(try server.localAddress())/deep/inside"
      let page = try await loop.ask("\(place)/?token=a-token-of-my-own")
      #expect(page.status == 200 && page.text.hasPrefix("<!DOCTYPE html>"))
      let json = try await loop.ask("\(place)/snapshot.json?token=a-token-of-my-own")
      #expect(try json.part(["loops", 0, "name"]) as? String == loop.name)
      #expect(try await loop.ask("\(place)/other?token=a-token-of-my-own").status == 404)
      server.close()
      try await serving.value
    }
  }
}

@inline(never) func holdTheLoop(until release: borrowing Atomic<Bool>) {
  while !release.load(ordering: .relaxed) { usleep(1000) }
}
#endif
