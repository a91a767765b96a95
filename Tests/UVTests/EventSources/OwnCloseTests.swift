import Foundation
import Testing
import UV
import UVTestSupport

/// What a program closes itself, and how its loop ends.
@Suite("A source that its own program closes") struct OwnCloseTests {
  /// Iterates over a source, which is closed meanwhile, or between two elements: expects that the loop ends.
  nonisolated(nonsending) func expectEnd<Element>(
    _ loop: EventLoop, _ source: SourceHandle<Element>, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let iteration = loop.spawn { () async throws(UVError) in for try await _ in source {} }
    let ends = Log<String>()
    try await loop.sleep(for: .zero).value
    source.next { ends.append(Self.describe($0)) }
    source.close()
    source.next { ends.append(Self.describe($0)) }
    do throws(UVError) { try await iteration.value } catch {
      Issue.record("the iteration threw \(error)", sourceLocation: sourceLocation)
    }
    try await source.close().value
    #expect(try await source.next().value == nil, sourceLocation: sourceLocation)
    #expect(ends.values == ["nil", "nil"], sourceLocation: sourceLocation)
  }

  static func describe<Element>(_ result: Result<Element?, UVError>) -> String {
    switch result {
    case .success(let element): element == nil ? "nil" : "element"
    case .failure(let error): error.name
    }
  }

  @Test func `ends without an error: listeners, UDP sockets, watchers`() async throws {
    try await withLoopAndDirectory { loop, path in
      try await expectEnd(loop, try loop.tcp.listen(host: "127.0.0.1", port: 0))
      try await expectEnd(loop, try loop.pipes.listen(path: "\(path)/socket"))
      try await expectEnd(loop, try loop.udp.bind(host: "127.0.0.1", port: 0))
      try await expectEnd(loop, try loop.signals(.user2))
      try await expectEnd(loop, try loop.files.watch(path))
      try await expectEnd(loop, try loop.iterations(.prepare))
      let (ours, theirs) = try loop.pipes.pair()
      try await expectEnd(loop, try loop.poll(ours.fileDescriptor(), for: .readable))
      ours.close()
      theirs.close()
    }
  }

  @Test func `between two elements ends without an error`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      for try await connection in listener {
        connection.close()
        // Nobody waits at this moment.
        listener.close()
      }
      client.close()
    }
  }

  @Test func `is reported to a handler as its end`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.start { log.append(Self.describe($0)) }
      loop.sleep(for: .zero) { _ in listener.close() }
    }
    #expect(log.values == ["nil"])
  }

  @Test(
    "fails with cancelled where bytes or entries would be missed: connections, directories",
    .onTheMachine("/usr"))
  func whatIsCutShort() async throws {
    try await withPair { loop, client, server in
      let reading = loop.spawn { () async throws(UVError) in for try await _ in server {} }
      try await loop.sleep(for: .zero).value
      server.close()
      await expectError(.cancelled, of: try await reading.value)
      let directory = try await loop.files.opendir("/usr", batchSize: 1).value
      let listing = loop.spawn { () async throws(UVError) in
        for try await _ in directory { directory.close() }
      }
      await expectError(.cancelled, .badDescriptor, of: try await listing.value)
    }
  }

  @Test func `fails with cancelled where its loop ends`() async throws {
    let log = Log<String>()
    try await withThread {
      try EventLoop.runCallbacks { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        listener.start { log.append(Self.describe($0)) }
        loop.sleep(for: .zero) { _ in loop.stop() }
      }
    }
    #expect(log.values == ["ECANCELED"])
  }

  @Test func `on a signal, lets the requests in flight be answered`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let terminations = try loop.signals(.user2)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      loop.spawn {
        _ = try? await terminations.next().value
        listener.close()
      }
      var answers = 0
      let answered = loop.spawn { () async throws(UVError) in
        try await client.write("request").value
        answers += try await client.next().value == "answer" ? 1 : 0
        client.close()
      }
      // The program of the documentation.
      for try await connection in listener {
        loop.spawn {
          _ = try? await connection.next().value
          kill(getpid(), SIGUSR2)
          try? await loop.until { listener.isClosing }
          try? await connection.write("answer").value
          connection.close()
        }
      }
      #expect(answers == 0)
      try await answered.value
      #expect(answers == 1)
      terminations.close()
    }
  }
}

@Suite struct StopTests {
  @Test func `stop() in the body of runCallbacks ends the run that follows`() async throws {
    try await withThread {
      let loop = try EventLoop()
      var isCalled = false
      let value = loop.runCallbacks { loop in
        loop.sleep(for: .untilCancelled) { _ in isCalled = true }
        loop.spawn { _ = try? await loop.sleep(for: .untilCancelled).value }
        loop.stop()
        return 1
      }
      #expect(value == 1)
      #expect(!isCalled)
      #expect(loop.statistics.tasks == 0)
      // The next run is one of its own.
      loop.runCallbacks { $0.sleep(for: .zero) { _ in loop.stop() } }
      loop.shutdown()
      #expect(isCalled)
    }
  }

  @Test func `stop() in a body that throws leaves the next run alone`() async throws {
    try await withThread {
      let loop = try EventLoop()
      #expect(throws: UVError.self) {
        try loop.runCallbacks { (loop) throws(UVError) in
          loop.stop()
          throw UVError(.cancelled, operation: "test")
        }
      }
      var isCalled = false
      loop.runCallbacks { $0.sleep(for: .zero) { _ in isCalled = true } }
      #expect(isCalled)
      loop.shutdown()
    }
  }
}
