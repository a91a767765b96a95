#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// The sources that report files, directories and the loop itself, in every style.
@Suite struct SourceTests {
  /// Observes a source until it has delivered two elements; `cause` makes each happen.
  nonisolated(nonsending) func expectElements<Source: EventSource>(
    of source: Source, _ style: Style, _ loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation,
    cause: nonisolated(nonsending) (Int) async throws -> Void
  ) async throws {
    let log = Log<String>()
    let cancel = style.observe(source, on: loop, log) { _ in "element" }
    #expect(log.values.isEmpty, sourceLocation: sourceLocation)
    for round in 1...2 {
      try await cause(round)
      try await loop.settle { log.values.count >= round }
    }
    cancel()
    #expect(log.values.prefix(2) == ["element", "element"], sourceLocation: sourceLocation)
  }

  @Test(arguments: Style.allCases) func aDirectory(style: Style) async throws {
    try await withLoop { loop in
      let directory = try await loop.files.opendir("/usr", batchSize: 1).value
      try await expectElements(of: directory, style, loop) { _ in }
      try await directory.close().value
    }
  }

  @Test(arguments: Style.allCases) func aWatchedDirectory(style: Style) async throws {
    try await withLoopAndDirectory { loop, path in
      let watcher = try loop.files.watch(path)
      try await expectElements(of: watcher, style, loop) { round in
        try await loop.files.mkdir("\(path)/\(round)").value
      }
      watcher.close()
    }
  }

  @Test(arguments: Style.allCases) func aWatchedTree(style: Style) async throws {
    try await withTemporaryDirectory { path in
      try await withLoop { loop in
        try await loop.files.mkdir("\(path)/inner").value
        let watcher = try loop.files.watch(path, recursive: true)
        #expect(try await watcher.next().value?.kinds == .complete)
        try await expectElements(of: watcher, style, loop) { round in
          try await loop.files.mkdir("\(path)/inner/\(round)").value
        }
        watcher.close()
      }
    }
  }

  @Test(arguments: Style.allCases) func aWatchedStatus(style: Style) async throws {
    try await withLoopAndDirectory { loop, path in
      let file = "\(path)/a"
      let watcher = try loop.files.watchStatus(file, every: .milliseconds(1))
      // The first look, which finds nothing: what is there by then is no change.
      #expect(try await watcher.next().value != nil)
      try await expectElements(of: watcher, style, loop) { round in
        try await loop.files.writeFile(file, Bytes(repeating: 1, count: round)).value
      }
      watcher.close()
    }
  }

  @Test(arguments: Style.allCases) func iterations(style: Style) async throws {
    try await withLoop { loop in
      for phase in IterationPhase.allCases {
        let watcher = try loop.iterations(phase)
        try await expectElements(of: watcher, style, loop) { _ in }
        watcher.close()
      }
    }
  }

  @Test(arguments: Style.allCases) func aSourceThatIsClosed(style: Style) async throws {
    try await withLoopAndDirectory { loop, path in
      let watcher = try loop.files.watch(path)
      let log = Log<String>()
      let cancel = style.observe(watcher, on: loop, log) { _ in "element" }
      try await loop.settle()
      watcher.close()
      try await loop.settle { loop.statistics.handles == 0 }
      // Its end, which is no error.
      #expect(log.values.isEmpty)
      cancel()
    }
  }
}

/// The requests beside those of files and sockets, in every style.
@Suite struct RequestTests {
  /// Runs a request that is to succeed.
  nonisolated(nonsending) func expectSuccess<T>(
    _ style: Style, _ request: Request<T>, _ loop: EventLoop,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let log = Log<UVError.Code?>()
    let keep = style.start(request, on: loop, log)
    #expect(log.values.isEmpty, sourceLocation: sourceLocation)
    try await loop.settle { !log.values.isEmpty }
    // A publisher reports its end, a promise its value: each writes one line.
    #expect(log.values == [nil], sourceLocation: sourceLocation)
    withExtendedLifetime(keep) {}
  }

  @Test(arguments: Style.allCases) func namesAndRandomBytes(style: Style) async throws {
    try await withLoop { loop in
      let address = try SocketAddress("127.0.0.1", port: 80)
      try await expectSuccess(style, loop.dns.nameInfo(of: address, options: .numericHost), loop)
      try await expectSuccess(style, loop.random(16), loop)
      try await expectSuccess(style, loop.files.opendir("/"), loop)
    }
  }

  @Test(arguments: Style.allCases) func sendfile(style: Style) async throws {
    try await withPair { loop, client, server in
      let file = try await loop.files.open("/etc/passwd").value
      try await expectSuccess(style, client.sendfile(file, count: 10), loop)
      #expect(try await server.next().value?.count == 10)
      let sink = try await loop.files.open("/dev/null", .writeOnly).value
      try await expectSuccess(style, file.sendfile(to: sink, count: 10), loop)
    }
  }

  @Test(arguments: Style.allCases) func gracefulShutdowns(style: Style) async throws {
    try await withPair { loop, client, server in
      try await expectSuccess(style, loop.shutdownGracefully(within: .zero), loop)
      #expect(server.isClosing)
      let group = try EventLoopGroup(count: 2)
      try await expectSuccess(style, group.shutdownGracefully(within: .zero, on: loop), loop)
    }
  }
}
#endif
