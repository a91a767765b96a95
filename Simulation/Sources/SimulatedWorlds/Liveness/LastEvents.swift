import UV
import UVHTTP
import UVSimulation
import UVTLS

/// A program ends soon after its last useful event: what it has let go of, cancelled or given back doesn't keep it running.
func lastEvents(_ world: World, _ ledger: Ledger) throws {
  // A server that ends lets its clients be silent for a second.
  let bound = Duration.seconds(2)
  let (last, end) = (Shared<LoopClock.Instant?>(nil), Shared<LoopClock.Instant?>(nil))
  let names = Shared<[Remnant]>([])
  // What the program still has at its end.
  let kept = Shared<[Any]>([])
  world.program("a") {
    try EventLoop.run { loop in
      for _ in 0..<(1 + loop.draw(4)) {
        let remnant = Remnant.allCases[loop.draw(Remnant.allCases.count)]
        names.value.append(remnant)
        try await remnant.leave(loop) { kept.value.append($0) }
        if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
      }
      last.value = .now
    }
    end.value = .now
    kept.value = []
  }
  ledger.atEnd {
    guard let last = last.value, let end = end.value else { throw Violation("the program hasn't ended") }
    let time = last.duration(to: end)
    let left = names.value.map(\.rawValue)
    try expect(time <= bound, "the program ends \(time) after its last event, with \(left)")
  }
}

/// What a program may leave behind, and what mustn't keep it running.
private enum Remnant: String, CaseIterable {
  case cancelledSleep, timeoutInTime, deadlineInTime, cancelledTask, ticksLetGo, stoppedTimer
  case idlePool, closedPool, idleClient, stream, timeoutsOfStream, listener, tlsConnection, httpServer
  case cancelledFile, watcher, signals, group, finishedSource, datagrams

  /// Begins it, and comes to its last useful event.
  nonisolated(nonsending) func leave(_ loop: EventLoop, keep: (Any) -> Void) async throws {
    let long = Duration.seconds(1000)
    switch self {
    case .cancelledSleep: loop.sleep(for: long) { _ in }.cancel()
    case .timeoutInTime: try await loop.sleep(for: .milliseconds(1)).timeout(after: long).value
    case .deadlineInTime: try await loop.withDeadline(long) { try await loop.sleep(for: .zero).value }
    case .cancelledTask:
      let task = loop.spawn { () async throws(UVError) in try await loop.sleep(for: long).value }
      loop.queueMicrotask { task.cancel() }
      try? await task.value
    case .ticksLetGo:
      for try await _ in loop.ticks(every: .milliseconds(5)).prefix(2) {}
    case .stoppedTimer:
      let timer = try LoopTimer(loop)
      try timer.start(after: long, repeating: long) {}
      timer.stop()
      timer.close()
    case .idlePool:
      let pool = Pool<LeftResource>(loop) { LeftResource(loop: loop) }
      keep(pool)
      try await pool.lease().value.giveBack()
    case .closedPool:
      let pool = Pool<LeftResource>(loop) { LeftResource(loop: loop) }
      try await pool.lease().value.giveBack()
      try await pool.close().value
    case .idleClient, .httpServer:
      // One place a program; others of it are busy or gone.
      let path = "/tmp/http \(loop.draw(1 << 30))"
      let server = loop.http.serve(try loop.pipes.listen(path: path))
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        exchange.respond(HTTPResponse(status: .ok), "x").start { _ in }
      }
      var options = HTTPClientOptions()
      options.unixSocket = FilePath(path)
      let client = HTTPClient(loop, options: options)
      _ = try await client.get("http://server/").value.body.readToEnd(limit: 10).value
      server.close()
      if self == .httpServer { try await client.close().value }
    case .stream, .timeoutsOfStream:
      let (here, there) = try loop.pipes.socketPair()
      if self == .timeoutsOfStream {
        here.readTimeout = long
        here.totalTimeout = long
        there.idleTimeout = long
      }
      try await here.write("x").value
      _ = try await there.read(exactly: 1).value
      try await here.shutdown().value
      _ = try await there.next().value
    case .listener:
      let listener = try loop.tcp.listen(port: 0)
      let pending = listener.accept { _ in }
      try await loop.sleep(for: .zero).value
      if loop.isDrawn(oneIn: 2) { pending.cancel() }
      listener.close()
    case .tlsConnection:
      let (here, there) = try loop.pipes.socketPair()
      let context = try Certificates.server(loop)
      let accepting = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(there, context).value
      }
      let client = try await loop.tls.secure(here, Certificates.client(loop), host: "server").value
      let server = try await accepting.value
      try await client.write("x").value
      _ = try await server.read(exactly: 1).value
      client.close()
    case .cancelledFile:
      loop.files.readFile("/tmp/no such file") { _ in }.cancel()
    case .watcher:
      let watcher = try loop.files.watch("/tmp")
      watcher.start { _ in }
      watcher.close()
    case .signals:
      let watcher = try loop.signals(.user1)
      watcher.start { _ in }
      watcher.close()
    case .group:
      let group = try EventLoopGroup(count: 2)
      _ = try await group.next().submit { _ in 1 }
      _ = await group.shutdownGracefully(within: long)
    case .finishedSource:
      let source = CustomSource<Int>(loop, "source") { _ in }
      source.start { _ in }
      source.finish()
    case .datagrams:
      let socket = try loop.udp.bind(port: 0)
      socket.start { _ in }
      socket.close()
    }
  }
}

private struct LeftResource: PoolResource {
  let loop: EventLoop
  var isReusable: Bool { true }
  func close() -> Request<Void> { loop.sleep(for: .zero) }
}
