import Foundation
import Testing
import UV
import UVTestSupport

/// Pending requests that are over, and are cancelled once more: that does nothing, neither to the request that has their object
/// or place now, nor to one of the same kind beside it.
@Suite struct StaleCancelTests {
  private static let kinds = [
    "sleep", "stat", "read of a file", "work", "submit", "lookup", "next of a stream", "frame", "write",
    "drain", "shutdown",
    "datagram", "next of a socket", "accept", "closure", "quiescing", "timer", "semaphore",
    "next of a custom source",
  ]

  private func report<T>(_ done: @escaping (String) -> Void) -> Completion<T> {
    { done($0.error?.name ?? "ok") }
  }

  @Test(
    "A pending request that has been answered or cancelled cancels nothing later", arguments: kinds,
    [false, true])
  func stale(kind: String, wasCancelled: Bool) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", "abcdefgh").value
      let file = try await loop.files.open("\(directory)/a").value
      let group = try EventLoopGroup(count: 1)
      let executor = group.next()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let (near, far) = try loop.pipes.socketPair()
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try socket.localAddress()
      let source = CustomSource<Int>(loop, "numbers")
      var clients: [TCPConnection] = []
      var shutdowns = 0
      let takeAll = {
        near.stop()
        near.start { _ in }
      }
      /// Begins a request, and then what answers it.
      func begin(_ done: @escaping (String) -> Void) async throws -> (PendingRequest, answer: () -> Void) {
        switch kind {
        case "sleep": return (loop.sleep(for: .milliseconds(2), report(done)), {})
        case "stat": return (loop.files.stat("/", report(done)), {})
        case "read of a file": return (file.read(2, at: 0, report(done)), {})
        case "work": return (loop.work({ 1 }, report(done)), {})
        case "submit": return (executor.submit(on: loop) { _ in 1 }.start(report(done)), {})
        case "lookup": return (loop.dns.resolve("localhost", report(done)), {})
        case "next of a stream": return (near.next(report(done)), { far.write("x") { _ in } })
        case "frame": return (near.readLine(limit: 10, report(done)), { far.write("x\n") { _ in } })
        case "write":
          // One that waits: the one before it takes the socket's room.
          far.write(Bytes(repeating: 1, count: 1 << 20)) { _ in }
          let pending = far.write("x", report(done))
          return (pending, takeAll)
        case "drain":
          far.write(Bytes(repeating: 1, count: 1 << 20)) { _ in }
          return (far.drain(report(done)), takeAll)
        case "shutdown":
          shutdowns += 1
          return ((shutdowns == 1 ? near : far).shutdown(report(done)), {})
        case "datagram": return (socket.send("x", to: address, report(done)), {})
        case "next of a socket":
          return (socket.next(report(done)), { socket.send("x", to: address) { _ in } })
        case "accept":
          let pending = listener.accept { result in
            if let connection = result.value { clients.append(connection) }
            done(result.error?.name ?? "ok")
          }
          return (
            pending, { loop.tcp.connect(to: try! listener.localAddress()) { clients.append(try! $0.get()) } }
          )
        case "closure":
          var timer = PendingRequest()
          timer = loop.sleep(for: .milliseconds(2), report(done))
          return (PendingRequest { timer.cancel() }, {})
        case "quiescing": return (near.quiescing(report(done)), {})
        case "timer":
          let ticks = loop.ticks(every: .milliseconds(2))
          return (ticks.next(report(done)), {})
        case "semaphore":
          let semaphore = LoopSemaphore(loop, value: 0)
          return (semaphore.wait(report(done)), { semaphore.signal() })
        default: return (source.next(report(done)), { source.send(1) })
        }
      }
      // Nobody answers a connection's end of service.
      if kind == "quiescing", !wasCancelled {
        for stream in [near, far] { stream.close() }
        try await file.close().value
        listener.close()
        socket.close()
        _ = await group.shutdownGracefully(within: .zero)
        return
      }
      var outcomes: [String] = []
      let (first, answer) = try await begin { outcomes.append("first \($0)") }
      if wasCancelled { first.cancel() } else { answer() }
      try await loop.until { outcomes.count == 1 }
      // A datagram that the system takes at once has been sent.
      #expect(outcomes[0] == (wasCancelled && kind != "datagram" ? "first ECANCELED" : "first ok"))
      // Its object has been put back by now.
      for _ in 0..<2 { try await loop.sleep(for: .zero).value }
      let (second, answerSecond) = try await begin { outcomes.append("second \($0)") }
      first.cancel()
      first.cancel()
      if kind == "quiescing" { second.cancel() } else { answerSecond() }
      first.cancel()
      try await loop.until { outcomes.count == 2 }
      #expect(outcomes[1] == (kind == "quiescing" ? "second ECANCELED" : "second ok"))
      first.cancel()
      second.cancel()
      try await loop.settle()
      #expect(outcomes.count == 2)
      for stream in [near, far] as [ByteStream] + clients { stream.close() }
      try await file.close().value
      listener.close()
      socket.close()
      source.finish()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}
