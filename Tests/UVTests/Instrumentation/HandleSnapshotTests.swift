import Foundation
import Testing
import UV
import UVTestSupport

/// What a snapshot says of each kind of handle, beside the connections of `SnapshotTests`.
@Suite struct HandleSnapshotTests {
  enum Kind: CaseIterable {
    case listener, udp, connectedUDP, pipe, pipeListener, directory, file, signal, child, timer, idleTimer
  }

  /// Opens a handle: what is to be listed of it, and what it needs until then.
  private func open(_ kind: Kind, _ loop: EventLoop, _ folder: String) throws -> (HandleSnapshot, [Any]) {
    switch kind {
    case .listener:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var expected = HandleSnapshot(type: .tcp, age: .zero)
      expected.localAddress = try listener.localAddress().description
      expected.isListener = true
      return (expected, [listener])
    case .udp, .connectedUDP:
      let peer = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try peer.localAddress()
      let socket = try kind == .udp ? peer : loop.udp.connect(to: address)
      var expected = HandleSnapshot(type: .udp, age: .zero)
      expected.localAddress = try socket.localAddress().description
      if kind == .connectedUDP { expected.peerAddress = address.description }
      return (expected, [peer, socket])
    case .pipe:
      let (near, far) = try loop.pipes.socketPair()
      return (HandleSnapshot(type: .pipe, age: .zero), [near, far])
    case .pipeListener:
      let listener = try loop.pipes.listen(path: "\(folder)/socket")
      var expected = HandleSnapshot(type: .pipe, age: .zero)
      expected.localAddress = "\(folder)/socket"
      expected.isListener = true
      return (expected, [listener])
    case .directory, .file:
      let isPolled = kind == .file
      let watcher =
        try isPolled
        ? loop.files.watchStatus(folder, every: .seconds(9)) as Handle : loop.files.watch(folder)
      var expected = HandleSnapshot(type: isPolled ? .fileStatus : .fileEvent, age: .zero)
      expected.subject = folder
      return (expected, [watcher])
    case .signal:
      let watcher = try loop.signals(.windowChange)
      watcher.start { _ in }
      var expected = HandleSnapshot(type: .signal, age: .zero)
      expected.subject = Signal.windowChange.description
      return (expected, [watcher])
    case .child:
      let child = try loop.processes.spawn("/bin/cat", stdio: [.pipe, .ignore, .ignore])
      var expected = HandleSnapshot(type: .process, age: .zero)
      expected.subject = "process \(child.processID)"
      return (expected, [child])
    case .timer, .idleTimer:
      let timer = try LoopTimer(loop)
      var expected = HandleSnapshot(type: .timer, age: .zero)
      if kind == .timer {
        try timer.start(after: .seconds(1000)) {}
        expected.dueIn = .seconds(1000)
      }
      return (expected, [timer])
    }
  }

  @Test(arguments: Kind.allCases)
  func `A handle is listed with what tells it from others of its type`(kind: Kind) async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { folder in
        let (expected, held) = try open(kind, loop, folder)
        let found = loop.snapshot().handles.entries.filter {
          $0.type == expected.type && $0.localAddress == expected.localAddress
            && $0.peerAddress == expected.peerAddress
            && $0.subject == expected.subject && $0.isListener == expected.isListener
            && ($0.dueIn == nil) == (expected.dueIn == nil)
        }
        #expect(!found.isEmpty, "\(kind): \(loop.snapshot().handles.entries)")
        if let due = found.first?.dueIn { #expect(due > .seconds(900) && due < .seconds(1100)) }
        withExtendedLifetime(held) {}
        // A child that has ended and isn't waited for would stop the exit tests that follow.
        for case let child as ChildProcess in held {
          try child.kill(.kill)
          _ = try await child.exit().value
        }
        for handle in held { (handle as? Handle)?.close() }
      }
    }
  }
}
