import Testing
import UV
import UVTestSupport

/// What the heap has after calls that end: as much as before.
@Suite(.serialized) struct HeapTests {
  /// Calls that allocate, each of which is over when it returns.
  enum Call: CaseIterable {
    case environment, interfaces, processors, user, loop, handle
    case outside, work, tasks, shield, semaphore, pause
    case lag, signalledEnd
    case stream, name, datagrams, sendfile, child
    case file, wholeFile, folder, tree

    fileprivate nonisolated(nonsending) func make(_ loop: EventLoop, _ folder: String) async throws {
      switch self {
      case .environment: _ = try Environment.all()
      case .interfaces: _ = try SystemInfo.interfaceAddresses()
      case .processors: _ = try SystemInfo.processors()
      case .user: _ = try SystemInfo.user()
      case .loop: try EventLoop().shutdown()
      case .handle:
        // Nobody closes it.
        _ = try loop.udp.bind(host: "127.0.0.1", port: 0)
        try await loop.until { loop.statistics.handles == 0 }
      case .outside:
        let executor = loop.executor
        _ = try await Task.detached { try await executor.submit { _ in 1 } }.value
      case .work: _ = try await loop.work { 1 }.value
      case .tasks:
        try await loop.withTasks { group in
          for _ in 0..<3 { group.spawn { try await loop.sleep(for: .zero).value } }
        }
      case .shield: _ = await loop.withShield { 1 }
      case .semaphore:
        try await LoopSemaphore(loop, value: 1).withPermit { try await loop.sleep(for: .zero).value }
      case .pause: try await loop.sleep(for: .milliseconds(1)).value
      case .lag:
        let measured = try EventLoop()
        try measured.configure(.lag)
        measured.shutdown()
      case .signalledEnd:
        loop.shutdownGracefully(onSignals: [.user2], within: .zero) { _ in }.cancel()
        try await loop.until { loop.statistics.handles == 0 }
      case .stream: try await converse(loop)
      case .name:
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        try await loop.tcp.connect(host: "127.0.0.1", port: Int(listener.localAddress().port)).value.close()
          .value
        try await listener.close().value
      case .datagrams:
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        let address = try socket.localAddress()
        try await socket.send((0..<3).map { Datagram(Bytes("\($0)"), to: address) }).value
        for _ in 0..<3 { _ = try await socket.next().value }
        try await socket.close().value
      case .sendfile:
        let (near, far) = try loop.pipes.socketPair()
        let file = try await loop.files.open("/proc/self/exe", .readOnly).value
        try await near.sendfile(file, count: 4096).value
        for end in [near, far] { try await end.close().value }
        try await file.close().value
      case .child: _ = try await loop.processes.run("/bin/true").value
      case .file:
        let file = try await loop.files.open("\(folder)/file", .readWrite, options: .create).value
        try await file.write(["one", "two"], at: 0).value
        _ = try await file.read([3, 3], at: 0).value
        try await file.close().value
      case .wholeFile:
        try await loop.files.writeFile("\(folder)/whole", "whole").value
        _ = try await loop.files.readFile("\(folder)/whole").value
      case .folder:
        let directory = try await loop.files.opendir("/usr").value
        while try await directory.next().value != nil {}
        try await directory.close().value
      case .tree:
        try await loop.files.makedirs("\(folder)/tree/branch").value
        try await loop.files.rmtree("\(folder)/tree", progress: FileTreeProgress()).value
      }
    }

    /// A connection with a reader, a writer, a notification and a timeout.
    private nonisolated(nonsending) func converse(_ loop: EventLoop) async throws {
      let (near, far) = try loop.pipes.socketPair()
      near.readTimeout = .seconds(10)
      let line = loop.spawn { try await near.readLine(limit: 80).value }
      try await far.write(["li", "ne\n"]).value
      try await far.shutdown().value
      #expect(try await line.value == "line")
      #expect(try await near.next().value == nil)
      for end in [near, far] { try await end.close().value }
    }
  }

  @Test(arguments: [Call.environment, .interfaces, .processors, .user, .loop, .handle, .pause, .shield])
  func `What a call has taken of the heap is given back`(call: Call) async throws {
    try await expectGivenBack(call)
  }

  @Test(arguments: [Call.outside, .work, .tasks, .semaphore, .stream, .name, .datagrams, .sendfile])
  func `So is what a task or a socket has taken`(call: Call) async throws { try await expectGivenBack(call) }

  @Test(arguments: [Call.lag, .signalledEnd])
  func `So is what a measurement or an end that was called off has taken`(call: Call) async throws {
    try await expectGivenBack(call)
  }

  @Test(arguments: [Call.file, .wholeFile, .folder, .tree])
  func `So is what a file or a folder has taken`(call: Call) async throws { try await expectGivenBack(call) }

  @Test(arguments: [Call.child])
  func `So is what a child has taken`(call: Call) async throws { try await expectGivenBack(call) }

  private func expectGivenBack(_ call: Call) async throws {
    // Of threads that end the heap can't be asked: they end a little later.
    try await withLoop { loop in
      try await withTemporaryDirectory { folder in
        try await expectHeapGivenBack("\(call)") { try await call.make(loop, folder) }
      }
    }
  }
}
