import Foundation
import Testing
import UV
import UVTestSupport

/// What a snapshot says of each kind of handle: all that the handle says of itself.
@Suite struct HandleSnapshotTests {
  enum Kind: CaseIterable {
    case listener, udp, connectedUDP, pipe, pipeListener, pipeClient, pipeServer, directory, file, signal,
      child, timer, idleTimer, poll, reader
  }

  /// Opens a handle: the handle, what only a snapshot says of it, and what it needs until then.
  private nonisolated(nonsending) func open(_ kind: Kind, _ loop: EventLoop, _ folder: String) async throws
    -> (Handle, HandleSnapshot, [Any])
  {
    switch kind {
    case .listener:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var expected = HandleSnapshot(type: .tcp, age: .zero)
      expected.localAddress = try listener.localAddress().description
      expected.isListener = true
      return (listener, expected, [])
    case .udp, .connectedUDP:
      let peer = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try peer.localAddress()
      let socket = try kind == .udp ? peer : loop.udp.connect(to: address)
      var expected = HandleSnapshot(type: .udp, age: .zero)
      expected.localAddress = try socket.localAddress().description
      if kind == .connectedUDP { expected.peerAddress = address.description }
      return (socket, expected, [peer])
    case .pipe, .reader:
      let (near, far) = try loop.pipes.socketPair()
      var expected = HandleSnapshot(type: .pipe, age: .zero)
      if kind == .reader {
        near.start { _ in }
        expected.isAwaited = true
      }
      return (near, expected, [far])
    case .pipeListener, .pipeClient, .pipeServer:
      let path = "\(folder)/socket"
      let listener = try loop.pipes.listen(path: path)
      var expected = HandleSnapshot(type: .pipe, age: .zero)
      if kind != .pipeClient { expected.localAddress = path }
      if kind == .pipeListener {
        expected.isListener = true
        return (listener, expected, [])
      }
      let client = try await loop.pipes.connect(path: path).value
      let server = try await listener.accept().value
      if kind == .pipeClient { expected.peerAddress = path } else { expected.isAccepted = true }
      return (kind == .pipeClient ? client : server, expected, [listener, client, server])
    case .directory, .file:
      let isPolled = kind == .file
      let watcher =
        try isPolled
        ? loop.files.watchStatus(folder, every: .seconds(9)) as Handle : loop.files.watch(folder)
      var expected = HandleSnapshot(type: isPolled ? .fileStatus : .fileEvent, age: .zero)
      expected.subject = folder
      return (watcher, expected, [])
    case .signal:
      let watcher = try loop.signals(.windowChange)
      watcher.start { _ in }
      var expected = HandleSnapshot(type: .signal, age: .zero)
      expected.subject = Signal.windowChange.description
      expected.isAwaited = true
      return (watcher, expected, [])
    case .child:
      let child = try loop.processes.spawn("/bin/cat", stdio: [.pipe, .ignore, .ignore])
      var expected = HandleSnapshot(type: .process, age: .zero)
      expected.subject = "process \(child.processID)"
      return (child, expected, [])
    case .timer, .idleTimer:
      let timer = try LoopTimer(loop)
      var expected = HandleSnapshot(type: .timer, age: .zero)
      if kind == .timer {
        try timer.start(after: .seconds(1000)) {}
        expected.dueIn = .seconds(1000)
      }
      return (timer, expected, [])
    case .poll:
      let (near, far) = try loop.pipes.socketPair()
      let watcher = try loop.poll(near.fileDescriptor(), for: .readable)
      return (watcher, HandleSnapshot(type: .poll, age: .zero), [near, far])
    }
  }

  @Test(arguments: Kind.allCases)
  func `A handle is listed with all that it says itself, and what tells it from others`(kind: Kind)
    async throws
  {
    try await withLoop { loop in
      try await withTemporaryDirectory { folder in
        let (handle, opened, held) = try await open(kind, loop, folder)
        for keeps in [handle.keepsLoopRunning, !handle.keepsLoopRunning] {
          handle.keepsLoopRunning = keeps
          var expected = opened
          expected.isActive = handle.isActive
          expected.keepsLoopRunning = keeps
          expected.fileDescriptor = try? handle.fileDescriptor()
          let listed = loop.snapshot().handles.entries.map { entry in
            var entry = entry
            // What is left of the time is less by now.
            if let due = entry.dueIn { entry.dueIn = .seconds(due > .seconds(900) ? 1000 : 0) }
            entry.age = .zero
            return entry
          }
          #expect(listed.contains(expected), "\(kind): \(expected) in \(listed)")
        }
        // A child that has ended and isn't waited for would stop the exit tests that follow.
        if let child = handle as? ChildProcess {
          try child.kill(.kill)
          _ = try await child.exit().value
        }
        handle.close()
        #expect(loop.snapshot().handles.entries.contains { $0.type == opened.type && $0.isClosing })
        for case let handle as Handle in held { handle.close() }
      }
    }
  }
}
