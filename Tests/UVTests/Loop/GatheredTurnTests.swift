import Foundation
import Testing
import UV
import UVTestSupport

/// A program that runs a loop turn by turn, and stops when the loop says that it has no work left: there is none left then.
@Suite struct GatheredTurnTests {
  /// A way to run turns until no work is left.
  enum Turns: CaseIterable {
    case once, withoutWaiting, callbacks

    func run(_ loop: EventLoop) throws {
      switch self {
      case .once: while try loop.runOnce() {}
      case .withoutWaiting: while try loop.runNoWait() {}
      case .callbacks: loop.runCallbacks { _ in }
      }
    }
  }

  /// What has been begun, and is all the work of the loop.
  enum Work: CaseIterable {
    case gatheredWrites, gatheredBuffers, gatheredInRead, gatheredInCompletion, gatheredInMicrotask,
      shutdownBehindWrites, drain,
      microtask, message, task, close, poolWork, datagrams
  }

  /// One end of a socket as the loop has it, and the other one.
  private static func pair(_ loop: EventLoop) throws -> (PipeConnection, peer: Int32) {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (try loop.pipes.open(fileDescriptor: ends[0]), ends[1])
  }

  private static func received(_ peer: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? "nothing" : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  @Test("When a loop has no work left, all is done", arguments: Work.allCases, Turns.allCases)
  func done(work: Work, turns: Turns) async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let (stream, peer) = try Self.pair(loop)
      func writeTwo() {
        stream.write("a") { log.append("a \($0.error?.name ?? "ok")") }
        stream.write("b") { log.append("b \($0.error?.name ?? "ok")") }
      }
      var expected = (log: ["a ok", "b ok"], received: "ab")
      switch work {
      case .gatheredWrites: writeTwo()
      case .gatheredBuffers:
        stream.write("a") { log.append("a \($0.error?.name ?? "ok")") }
        stream.write(["b", "", "c"]) { log.append("b \($0.error?.name ?? "ok")") }
        expected.received = "abc"
      case .gatheredInRead:
        #expect(Foundation.send(peer, "x", 1, 0) == 1)
        stream.next { _ in writeTwo() }
      case .gatheredInCompletion:
        stream.write("x") { _ in writeTwo() }
        expected.received = "xab"
      case .gatheredInMicrotask: loop.queueMicrotask { writeTwo() }
      case .shutdownBehindWrites:
        writeTwo()
        stream.shutdown { log.append("end \($0.error?.name ?? "ok")") }
        expected.log.append("end ok")
      case .drain:
        writeTwo()
        stream.drain { log.append("drained \($0.error?.name ?? "ok")") }
        expected.log.append("drained ok")
      case .microtask:
        loop.queueMicrotask { loop.queueMicrotask { log.append("microtask") } }
        expected = (["microtask"], "nothing")
      case .message:
        try loop.executor.execute { loop in loop.queueMicrotask { log.append("message") } }
        expected = (["message"], "nothing")
      case .task:
        loop.spawn {
          try? await stream.write("a").value
          try? await stream.write("b").value
          log.append("task")
        }
        expected.log = ["task"]
      case .close:
        stream.close { _ in log.append("closed") }
        expected = (["closed"], "")
      case .poolWork:
        loop.work({}) { _ in writeTwo() }
      case .datagrams:
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        socket.next { _ in
          socket.close()
          writeTwo()
        }
        try socket.send("x", to: socket.localAddress()) { _ in }
      }
      try turns.run(loop)
      #expect(log.values == expected.log)
      #expect(Self.received(peer) == expected.received)
      if !stream.isClosing { #expect(stream.writeQueueSize == 0) }
      #expect(try !loop.runNoWait())
      #expect(log.values == expected.log)
      stream.close()
      loop.shutdown()
      close(peer)
    }
  }
}
