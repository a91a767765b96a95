import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// What a loop says that it waits for.
@Suite struct SnapshotTests {
  @Test(
    "A task that reads is listed with both addresses, what it reads, how long it has waited and where it was spawned"
  )
  func readingTask() async throws {
    try await withPair { loop, client, server in
      let line = #line + 1
      let reader = loop.spawn { () async throws(UVError) in
        try await server.read(until: "\n", limit: 100).value
      }
      // It waits from here on.
      try await loop.settle()
      let begin = loop.clock.now
      while begin.duration(to: loop.clock.now) < .milliseconds(20) { try await loop.sleep(for: .zero).value }
      let snapshot = loop.snapshot()
      let task = try #require(snapshot.tasks.entries.first { $0.state == .waiting })
      let wait = try #require(task.wait)
      #expect(wait.operation == "read")
      let addresses = "\(try server.localAddress()) ← \(try server.peerAddress())"
      #expect(wait.subject == "\(addresses), until \"\\n\"")
      #expect(wait.age >= .milliseconds(15) && task.age >= wait.age)
      #expect(task.place == "UVTests/SnapshotTests.swift:\(line)")
      #expect(snapshot.description.contains("read \(addresses), until"))
      #expect(snapshot.tasks.entries.contains { $0.state == .running && $0.place == "the body of run" })
      try await client.write("x\n").value
      #expect(try await reader.value == "x")
    }
  }

  @Test(
    "A handle is listed with its addresses, its descriptor and the bytes that wait, even if nobody waits for it"
  )
  func handles() async throws {
    try await withPair { loop, client, server in
      let bytes = Bytes(Array(repeating: 7, count: 1 << 24))
      let writing = loop.spawn { () async throws(UVError) in try await server.write(bytes).value }
      try await loop.settle()
      let handles = loop.snapshot().handles
      #expect(handles.count == 2 && handles.omittedCount == 0)
      let mine = try #require(handles.entries.first { $0.isAccepted })
      #expect(mine.type == .tcp && mine.keepsLoopRunning && !mine.isAwaited)
      #expect(mine.localAddress == "\(try server.localAddress())")
      #expect(mine.peerAddress == "\(try server.peerAddress())")
      #expect(mine.fileDescriptor == (try server.fileDescriptor()))
      #expect(mine.queuedByteCount > 0 && mine.queuedByteCount <= bytes.count)
      #expect(loop.snapshot().tasks.entries.contains { $0.wait?.operation == "write" })
      client.closeReset()
      await #expect(throws: UVError.self) { try await writing.value }
    }
  }

  @Test(
    "Only as many entries are listed as the limit says; the others are counted, and those that wait longest come first"
  )
  func limit() async throws {
    try await withLoop { loop in
      let first = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      // It waits from here on.
      try await loop.settle()
      try await loop.sleep(for: .milliseconds(2)).value
      let others = (0..<49).map { _ in loop.spawn { try? await loop.sleep(for: .untilCancelled * 2).value } }
      try await loop.settle()
      let snapshot = loop.snapshot(limit: 10)
      #expect(snapshot.tasks.entries.count == 10 && snapshot.tasks.count == 51)
      #expect(snapshot.tasks.entries[0].state == .running)
      let wait = try #require(snapshot.tasks.entries[1].wait)
      #expect(wait.operation == "sleep" && snapshot.tasks.entries[2].wait.map { $0.age < wait.age } == true)
      #expect(try #require(wait.remaining) <= .untilCancelled)
      #expect(snapshot.timers.count == 50 && snapshot.timers.entries.count == 10)
      #expect(
        snapshot.timers.entries[0].dueIn <= .untilCancelled
          && snapshot.timers.entries[1].dueIn > .untilCancelled)
      #expect(snapshot.description.contains("  and 41 more"))
      #expect(loop.snapshot(limit: 0).tasks == SnapshotList(count: 51))
      for task in [first] + others { task.cancel() }
    }
  }

  @Test("What the loop has on the thread pool is listed, with the path or the name that it is about")
  func pool() async throws {
    try await withLoop { loop in
      let letGo = keepPoolBusy(of: loop)
      let opening = loop.spawn { () async throws(UVError) in try await loop.files.open("/etc/passwd").value }
      try await loop.settle()
      let snapshot = loop.snapshot()
      #expect(snapshot.poolRequests.count == poolThreads + 1 && snapshot.requests.count == 0)
      let opened = try #require(snapshot.poolRequests.entries.first { $0.operation == "fs_open" })
      #expect(opened.subject == "/etc/passwd")
      #expect(snapshot.poolRequests.entries.contains { $0.operation == "work" })
      #expect(
        snapshot.tasks.entries.contains {
          $0.wait?.operation == "fs_open" && $0.wait?.subject == "/etc/passwd"
        })
      letGo()
      try await opening.value.close().value
    }
  }

  @Test(
    "A task that waits for another is listed with where that was spawned; one that waits for something else, as such"
  )
  func otherWaits() async throws {
    try await withLoop { loop in
      let line = #line + 1
      let slow = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      let waiting = loop.spawn { await slow.value }
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let elsewhere = loop.spawn { for await _ in stream {} }
      let limited = loop.spawn {
        try? await loop.sleep(for: .untilCancelled).timeout(after: .untilCancelled).value
      }
      try await loop.settle()
      let tasks = loop.snapshot().tasks.entries
      #expect(
        tasks.contains {
          $0.wait?.operation == "task" && $0.wait?.subject == "UVTests/SnapshotTests.swift:\(line)"
        })
      #expect(tasks.filter { $0.state == .elsewhere }.count == 1)
      // A request with a timeout is reported as its parts.
      #expect(tasks.filter { $0.wait?.operation == "sleep" }.count == 2)
      continuation.finish()
      slow.cancel()
      limited.cancel()
      await waiting.value
      await elsewhere.value
      await limited.value
      #expect(loop.snapshot().tasks.count == 1)
    }
  }

  @Test("JSON has what the encoder writes, with durations in milliseconds, and can be decoded again")
  func json() async throws {
    try await withPair { loop, client, server in
      let reader = loop.spawn { _ = try? await server.next().value }
      let signals = try loop.signals(.user2)
      try await loop.settle()
      var snapshot = loop.snapshot()
      snapshot.tasks.entries[0].place = "a \"quoted\"\n\u{1} path"
      let decoder = JSONDecoder()
      #expect(try decoder.decode(LoopSnapshot.self, from: Data(snapshot.json.utf8)) == snapshot)
      let encoded = try JSONEncoder().encode(snapshot)
      #expect(try decoder.decode(LoopSnapshot.self, from: encoded) == snapshot)
      let object = try #require(JSONSerialization.jsonObject(with: encoded) as? NSDictionary)
      #expect(object == (try JSONSerialization.jsonObject(with: Data(snapshot.json.utf8)) as? NSDictionary))
      let handles = try #require((object["handles"] as? NSDictionary)?["entries"] as? [NSDictionary])
      #expect(handles.allSatisfy { $0["age"] is Int })
      signals.close()
      server.close()
      await reader.value
    }
  }

  @Test(
    "A snapshot of an idle loop says that it does nothing, and so does that of a loop that has been shut down"
  )
  func idle() async throws {
    try await withCallbackLoop { loop in
      #expect(loop.snapshot().description == "\(loop.name): not running")
      let other = try EventLoop()
      other.shutdown()
      var nothing = LoopSnapshot()
      nothing.name = other.name
      #expect(other.snapshot() == nothing)
    }
  }

  @Test("A loop of a group is asked from outside")
  func group() async throws {
    let group = try EventLoopGroup(count: 2)
    let line = #line + 1
    let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
      _ = try? await connection.next().value
    }
    try await withLoop { loop in
      let client = try await loop.tcp.connect(to: address).value
      var tasks: [TaskSnapshot] = []
      while !tasks.contains(where: { $0.wait?.operation == "read" }) {
        tasks = await group.snapshots().flatMap(\.tasks.entries)
        try await loop.sleep(for: .milliseconds(1)).value
      }
      #expect(tasks.map(\.place) == ["UVTests/SnapshotTests.swift:\(line)"])
      client.close()
      // Before the descriptors are counted.
      _ = await group.shutdownGracefully(within: .seconds(5))
    }
  }

  @Test(
    "A task has the name that it was spawned with, and the part of its work in a group or a deadline has it too"
  )
  func names() async throws {
    try await withPair { loop, client, server in
      let line = #line + 2
      for (name, connection) in [("client", client), ("server", server)] {
        loop.spawn(name: name) { _ = try? await connection.next().value }
      }
      let reader = loop.spawn(name: "reader") { () async throws in
        try await loop.withDeadline(.seconds(1000)) {
          #expect(Task.name == "reader")
          return try await loop.withTasks { tasks in
            tasks.spawn(name: "helper") { try await loop.sleep(for: .untilCancelled).value }
            try await loop.sleep(for: .untilCancelled).value
          }
        }
      }
      let waiter = loop.spawn { try? await reader.value }
      try await loop.settle()
      let tasks = loop.snapshot().tasks.entries
      #expect(
        tasks.compactMap(\.name).sorted() == ["client", "helper", "reader", "reader", "reader", "server"])
      let task = try #require(tasks.first { $0.name == "server" })
      #expect(task.wait?.fileDescriptor == (try server.fileDescriptor()))
      let addresses = "\(try server.localAddress()) ← \(try server.peerAddress())"
      #expect(task.description.contains("read \(addresses)  server, UVTests/SnapshotTests.swift:\(line)"))
      #expect(tasks.contains { $0.wait?.subject?.hasPrefix("reader, UVTests/") == true })
      #expect(loop.snapshot().json.contains(#""name":"server""#))
      let handle = try #require(
        loop.snapshot().handles.entries.first { $0.fileDescriptor == task.wait?.fileDescriptor })
      #expect(handle.description.contains("\(try server.localAddress()) ↔"))
      reader.cancel()
      _ = await waiter.value
      client.close()
      server.close()
      while loop.snapshot().tasks.count > 1 { await Task.yield() }
      #expect(loop.snapshot().tasks.entries.allSatisfy { $0.name == nil })
    }
  }
}
