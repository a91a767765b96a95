#if Everything
import Testing
import UV
import UVTestSupport

/// What goes wrong ends in the right error, once, in every style, and leaves nothing behind.
@Suite struct FailureTests {
  /// Runs a request that is to fail, and expects that end and no other.
  nonisolated(nonsending) func expectEnd<T>(
    _ code: UVError.Code?, _ style: Style, _ request: Request<T>, _ loop: EventLoop,
    sourceLocation: SourceLocation = #_sourceLocation, then: () throws -> Void = {}
  ) async throws {
    let log = Log<UVError.Code?>()
    let keep = style.start(request, on: loop, log)
    // Never on its caller's stack.
    #expect(log.values.isEmpty, sourceLocation: sourceLocation)
    try await loop.settle()
    try then()
    try await loop.settle { !log.values.isEmpty }
    #expect(log.values == [code], sourceLocation: sourceLocation)
    withExtendedLifetime(keep) {}
  }

  @Test(arguments: Style.allCases) func aWrongPort(style: Style) async throws {
    try await withLoop { loop in
      try await expectEnd(.invalidArgument, style, loop.tcp.connect(host: "127.0.0.1", port: 65536), loop)
    }
  }

  @Test(arguments: Style.allCases) func aRefusedConnection(style: Style) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      try await listener.close().value
      try await expectEnd(.connectionRefused, style, loop.tcp.connect(to: address), loop)
    }
  }

  @Test(arguments: Style.allCases) func files(style: Style) async throws {
    try await withLoop { loop in
      let files = loop.files
      try await expectEnd(.noSuchFile, style, files.stat("/nowhere/at/all"), loop)
      try await expectEnd(.noSuchFile, style, files.open("/nowhere/at/all"), loop)
      try await expectEnd(.noSuchFile, style, files.readFile("/nowhere/at/all"), loop)
      try await expectEnd(.noSuchFile, style, files.writeFile("/nowhere/at/all", "x"), loop)
      try await expectEnd(.noSuchFile, style, files.writeFile("/nowhere/at/all", "x", atomically: true), loop)
      try await expectEnd(.isDirectory, style, files.readFile("/"), loop)
      try await expectEnd(.isDirectory, style, files.open("/", .readWrite), loop)
      try await expectEnd(.notDirectory, style, files.scandir("/etc/passwd"), loop)
      try await expectEnd(.fileExists, style, files.mkdir("/"), loop)
      try await expectEnd(.fileTooLarge, style, files.readFile("/etc/passwd", maximumSize: 3), loop)
      try await expectEnd(.invalidArgument, style, files.stat("/etc\0/passwd"), loop)
      try await expectEnd(.invalidArgument, style, files.readFile("/etc\0/passwd"), loop)
      try await expectEnd(.invalidArgument, style, files.mkdtemp("/tmp/no-six-letters"), loop)
    }
  }

  @Test(arguments: Style.allCases) func aDirectoryReadAsAFile(style: Style) async throws {
    try await withLoop { loop in
      let file = try await loop.files.open("/").value
      try await expectEnd(.isDirectory, style, file.read(10), loop)
      try await file.close().value
      try await expectEnd(.badDescriptor, style, file.read(10), loop)
      try await expectEnd(.badDescriptor, style, file.write("x"), loop)
    }
  }

  @Test(arguments: Style.allCases) func aPeerThatResets(style: Style) async throws {
    try await withPair { loop, client, server in
      try await expectEnd(.connectionReset, style, client.next(), loop) { server.closeReset() }
    }
  }

  @Test(arguments: Style.allCases) func aPeerThatCloses(style: Style) async throws {
    try await withPair { loop, client, server in
      try await expectEnd(nil, style, client.next(), loop) { server.close() }
    }
  }

  @Test(arguments: Style.allCases) func aPeerThatStopsReading(style: Style) async throws {
    try await withPair { loop, client, server in
      let big = Bytes(repeating: 7, count: 32 << 20)
      try await expectEnd(.timedOut, style, client.write(big).timeout(after: .milliseconds(5)), loop)
      try await expectEnd(.timedOut, style, client.drain().timeout(after: .zero), loop)
    }
  }

  @Test(arguments: Style.allCases) func anEarlyClose(style: Style) async throws {
    try await withPair { loop, client, server in
      try await expectEnd(.cancelled, style, client.next(), loop) { client.close() }
    }
    try await withPair { loop, client, server in
      let big = Bytes(repeating: 7, count: 32 << 20)
      try await expectEnd(.cancelled, style, client.write(big), loop) { client.close() }
    }
    try await withPair { loop, client, server in
      client.write(Bytes(repeating: 7, count: 32 << 20)) { _ in }
      try await expectEnd(.cancelled, style, client.shutdown(), loop) { client.close() }
    }
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      try await expectEnd(.cancelled, style, listener.accept(), loop) { listener.close() }
    }
  }

  @Test(arguments: Style.allCases) func closingAClosedHandle(style: Style) async throws {
    try await withPair { loop, client, server in
      try await expectEnd(nil, style, client.close(), loop)
      try await expectEnd(nil, style, client.close(), loop)
      try await expectEnd(.badDescriptor, style, client.write("x"), loop)
      try await server.shutdown().value
      try await expectEnd(.notConnected, style, server.shutdown(), loop)
    }
  }

  @Test(arguments: Style.allCases) func aTimeoutOfAnOpenLosesNoDescriptor(style: Style) async throws {
    try await withLoop { loop in
      for _ in 0..<50 {
        let log = Log<UVError.Code?>()
        let keep = style.start(loop.files.open("/etc/passwd").timeout(after: .zero), on: loop, log)
        try await loop.settle { !log.values.isEmpty }
        #expect(log.values.count == 1)
        withExtendedLifetime(keep) {}
      }
    }
  }
}
#endif
