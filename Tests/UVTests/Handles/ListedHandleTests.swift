import Testing
import UV
import UVTestSupport

/// What the loop's list says of each kind of handle, in each of its states: what the handle says of itself.
@Suite struct ListedHandleTests {
  enum Kind: CaseIterable {
    case listener, pipeListener, connection, pipe, udp, poll, timer, idle, prepare, check, directory, status,
      signal
  }

  /// A handle, what begins and ends its work, and what it needs meanwhile.
  private nonisolated(nonsending) func open(_ kind: Kind, _ loop: EventLoop, _ folder: String) async throws
    -> (
      handle: Handle, type: HandleType, begin: () throws -> Void, end: () -> Void, others: [Handle]
    )
  {
    switch kind {
    case .listener:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      return (listener, .tcp, { listener.start { _ in } }, { listener.stop() }, [])
    case .pipeListener:
      let listener = try loop.pipes.listen(path: "\(folder)/socket")
      return (listener, .pipe, { listener.start { _ in } }, { listener.stop() }, [])
    case .connection:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      listener.close()
      return (server, .tcp, { server.start { _ in } }, { server.stop() }, [client])
    case .pipe:
      let (near, far) = try loop.pipes.socketPair()
      return (near, .pipe, { near.start { _ in } }, { near.stop() }, [far])
    case .udp:
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      return (socket, .udp, { socket.start { _ in } }, { socket.stop() }, [])
    case .poll:
      let (near, far) = try loop.pipes.socketPair()
      let watcher = try loop.poll(near.fileDescriptor(), for: .readable)
      return (watcher, .poll, { watcher.start { _ in } }, { watcher.stop() }, [near, far])
    case .timer:
      let timer = try LoopTimer(loop)
      return (timer, .timer, { try timer.start(after: .seconds(1000)) {} }, { timer.stop() }, [])
    case .idle, .prepare, .check:
      let watcher = try loop.iterations(kind == .idle ? .idle : kind == .prepare ? .prepare : .check)
      let type = kind == .idle ? HandleType.idle : kind == .prepare ? .prepare : .check
      return (watcher, type, { watcher.start { _ in } }, { watcher.stop() }, [])
    case .directory:
      let watcher = try loop.files.watch(folder)
      return (watcher, .fileEvent, { watcher.start { _ in } }, { watcher.stop() }, [])
    case .status:
      let watcher = try loop.files.watchStatus(folder, every: .seconds(9))
      return (watcher, .fileStatus, { watcher.start { _ in } }, { watcher.stop() }, [])
    case .signal:
      let watcher = try loop.signals(.windowChange)
      return (watcher, .signal, { watcher.start { _ in } }, { watcher.stop() }, [])
    }
  }

  private func expectListed(_ handle: Handle, _ type: HandleType, _ what: String) {
    let descriptor = try? handle.fileDescriptor()
    let isListed = handle.loop.handles.contains { entry in
      entry.type == type && entry.isActive == handle.isActive && !entry.isClosing
        && entry.keepsLoopRunning == handle.keepsLoopRunning && entry.fileDescriptor == descriptor
    }
    #expect(isListed, "\(what): \(handle.loop.handles)")
  }

  @Test(
    "A handle is listed as it is: at rest, at work, and whether it keeps its loop running or not",
    arguments: Kind.allCases)
  func states(kind: Kind) async throws {
    try await withLoopAndDirectory { loop, folder in
      let (handle, type, begin, end, others) = try await open(kind, loop, folder)
      for round in 0..<2 {
        for keeps in [true, false] {
          handle.keepsLoopRunning = keeps
          #expect(handle.keepsLoopRunning == keeps)
          expectListed(handle, type, "\(kind) at rest, \(keeps), round \(round)")
          try begin()
          #expect(handle.isActive && handle.keepsLoopRunning == keeps)
          expectListed(handle, type, "\(kind) at work, \(keeps), round \(round)")
          end()
          expectListed(handle, type, "\(kind) at rest again, \(keeps), round \(round)")
        }
      }
      if kind == .listener || kind == .pipeListener { #expect(handle.isActive) }
      handle.keepsLoopRunning = true
      let count = loop.handles.count
      let closing = handle.close()
      #expect(handle.isClosing)
      try await closing.value
      #expect(!handle.keepsLoopRunning && !handle.isActive && handle.isClosing)
      handle.keepsLoopRunning = true
      #expect(!handle.keepsLoopRunning)
      try await loop.until { loop.handles.count < count }
      for other in others { other.close() }
    }
  }
}
