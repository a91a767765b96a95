import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Calls of streams that libuv refuses. The error is thrown, or fails the request, and nothing that the call has opened stays open: `withLoop`
/// counts the handles and the descriptors.
@Suite struct RefusedCallTests {
  enum Call: CaseIterable {
    case listensAtName, connectsToName, opensPipe, opensTerminal, setsBlocking, setsNoDelay, setsMode
    case localAddress, peerAddress, windowSize

    /// The function of libuv's that refuses.
    fileprivate var function: String {
      switch self {
      case .listensAtName, .connectsToName, .opensPipe: "uv_pipe_open"
      case .opensTerminal: "uv_tty_init"
      case .setsBlocking: "uv_stream_set_blocking"
      case .setsNoDelay: "uv_tcp_nodelay"
      case .setsMode: "uv_tty_set_mode"
      case .localAddress: "uv_tcp_getsockname"
      case .peerAddress: "uv_tcp_getpeername"
      case .windowSize: "uv_tty_get_winsize"
      }
    }
  }

  /// The ends that the calls are made on.
  private struct Ends {
    let pipe: PipeConnection
    let connection: TCPConnection
    let terminal: TTY
    let terminalDescriptor: Int32
    let name: String
  }

  private nonisolated(nonsending) func make(_ call: Call, _ loop: EventLoop, _ ends: Ends)
    async throws(UVError)
  {
    switch call {
    case .listensAtName: try loop.pipes.listen(abstractName: "\(ends.name)-2").close()
    case .connectsToName: try await loop.pipes.connect(abstractName: ends.name).value.close()
    case .opensPipe:
      let descriptor = dup(try ends.pipe.fileDescriptor())
      do throws(UVError) { try loop.pipes.open(fileDescriptor: descriptor).close() } catch {
        // It is still the caller's.
        Foundation.close(descriptor)
        throw error
      }
    case .opensTerminal: try loop.tty(ends.terminalDescriptor).close()
    case .setsBlocking: try ends.pipe.setBlocking(false)
    case .setsNoDelay: try ends.connection.setNoDelay(false)
    case .setsMode: try ends.terminal.setMode(.raw)
    case .localAddress: _ = try ends.connection.localAddress()
    case .peerAddress: _ = try ends.connection.peerAddress()
    case .windowSize: _ = try ends.terminal.windowSize()
    }
  }

  @Test(arguments: Call.allCases)
  func `What libuv refuses of a stream is an error, and nothing is left open`(call: Call) async throws {
    guard test_faults_reach(FaultLayer.libuv) != 0 else { return }
    try await withLoop { loop in
      let name = "swift-uv-refused-\(getpid())"
      let namesake = try loop.pipes.listen(abstractName: name)
      let (near, far) = try loop.pipes.socketPair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let connection = try await loop.tcp.connect(to: listener.localAddress()).value
      let (control, descriptor) = try openPseudoTerminal()
      let terminal = try loop.tty(descriptor)
      let ends = Ends(
        pipe: near, connection: connection, terminal: terminal, terminalDescriptor: descriptor, name: name)
      test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, call.function)
      let refused = await code { () async throws(UVError) in try await make(call, loop, ends) }
      #expect(test_faults_disarm() == 1)
      #expect(refused == .outOfMemory)
      // It was refused once, and does no harm.
      #expect(await code { () async throws(UVError) in try await make(call, loop, ends) } == nil)
      for handle in [namesake, near, far, listener, connection, terminal] as [Handle] { handle.close() }
      for descriptor in [control, descriptor] { Foundation.close(descriptor) }
    }
  }
}
