import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct PoolEndTests {
  @Test func `Closing ends the waiters, closes what is idle, and waits for what is lent`() async throws {
    try await withPool(1) { loop, _, pool in
      let lease = try await pool.lease().value
      let waiting = loop.spawn { () async throws(UVError) in _ = try await pool.lease().value }
      try await loop.until { pool.counts.waiting == 1 }
      var isClosed = false
      let closing = loop.spawn { () async throws(UVError) in
        try await pool.close().value
        isClosed = true
      }
      await expectError(.cancelled, of: try await waiting.value)
      await expectError(.badDescriptor, of: try await pool.lease().value)
      #expect(try await echo("a", lease.resource) == "a")
      #expect(!isClosed)
      // A waiter for the end may leave.
      pool.close { #expect($0.code == .cancelled) }.cancel()
      lease.giveBack()
      try await closing.value
      #expect(lease.resource.isClosing)
    }
  }

  @Test func `The only one who waits for the end may leave, and nothing waits for it then`() async throws {
    try await withPool(1) { loop, _, pool in
      let lease = try await pool.lease().value
      let count = loop.snapshot().timers.entries.count
      var code: UVError.Code?
      let end = pool.close { code = $0.code }
      #expect(loop.snapshot().timers.entries.count == count + 1)
      end.cancel()
      try await loop.until { code != nil }
      #expect(code == .cancelled && loop.snapshot().timers.entries.count == count)
      lease.giveBack()
    }
  }

  @Test func `Closing cancels a creation that is under way`() async throws {
    try await withLoop { loop in
      let pool = Pool<TCPConnection>(loop) {
        try await loop.sleep(for: .seconds(1000)).value
        throw UVError(.cancelled, operation: "create")
      }
      let waiting = loop.spawn { () async throws(UVError) in _ = try await pool.lease().value }
      try await loop.until { pool.counts.creating == 1 }
      try await pool.close().value
      await expectError(.cancelled, of: try await waiting.value)
      #expect(pool.counts.creating == 0)
    }
  }

  @Test("A pool that is dropped closes its idle connections, on its own thread and on another")
  func dropped() async throws {
    try await withLoop { loop in
      let server = try PoolServer(loop)
      for elsewhere in [false, true] {
        let box = Box(server.pool())
        #expect(try await box.value!.withResource { try await echo("a", $0) } == "a")
        if elsewhere { try await loop.work { box.value = nil }.value } else { box.value = nil }
        try await loop.until { server.connections.allSatisfy { $0.isClosing } }
      }
      #expect(server.connections.count == 2)
      server.close()
    }
  }

  @Test func `A resource that is of no more use when somebody asks is closed, and another is made`()
    async throws
  {
    final class Thing: PoolResource {
      let loop: EventLoop
      var isReusable = true
      var closings = 0
      init(_ loop: EventLoop) { self.loop = loop }
      func close() -> Request<Void> {
        closings += 1
        return loop.sleep(for: .zero)
      }
    }
    try await withLoop { loop in
      let pool = Pool<Thing>(loop) { Thing(loop) }
      let first = try await pool.lease().value
      let thing = first.resource
      first.giveBack()
      #expect(pool.counts.idle == 1)
      // It has no way to tell.
      thing.isReusable = false
      let second = try await pool.lease().value
      #expect(second.resource !== thing && thing.closings == 1)
      #expect((pool.counts.idle, pool.counts.leased, pool.counts.gone) == (0, 1, 1))
      second.giveBack()
      try await pool.close().value
    }
  }

  @Test func `An idle connection doesn't keep the loop running, and one that is lent does`() async throws {
    try await withCallbackLoop { loop in
      let server = try PoolServer(loop)
      server.listener.keepsLoopRunning = false
      let pool = server.pool()
      pool.lease { result in
        guard case .success(let lease) = result else { return }
        for connection in server.connections { connection.keepsLoopRunning = false }
        #expect(lease.resource.keepsLoopRunning)
        lease.giveBack()
        #expect(!lease.resource.keepsLoopRunning)
        pool.lease { result in
          guard case .success(let lease) = result else { return }
          #expect(lease.resource.keepsLoopRunning)
          lease.giveBack()
        }
      }
      // The run ends although the connection is open. The test's loop has to be empty then.
      let timer = try LoopTimer(loop)
      timer.keepsLoopRunning = false
      timer.close()
      loop.eventually(pool.counts.leases == 2 && pool.counts.idle == 1) {
        pool.close()
        server.close()
      }
    }
  }

  @Test func `A loop that ends notifies the waiters, and takes what comes back later`() async throws {
    try await withThread { try Self.endLoop() }
  }

  private static func endLoop() throws {
    let loop = try EventLoop()
    let codes = Log<UVError.Code>()
    func note<T>(_ result: Result<T, UVError>) {
      if case .failure(let error) = result { codes.append(error.code) }
    }
    var lease: PoolLease<TCPConnection>?
    let server = try PoolServer(loop)
    let pool = server.pool(1)
    pool.lease { result in
      lease = try? result.get()
      pool.lease { note($0) }
      pool.close { note($0) }
      loop.stop()
    }
    loop.runCallbacks { _ in }
    loop.shutdown()
    #expect(codes.values == [.cancelled, .cancelled])
    lease?.giveBack()
    lease = nil
    #expect(pool.counts.leased == 0)
    pool.lease { note($0) }
    withExtendedLifetime(server) {}
  }

  @Test func `A graceful shutdown closes what is idle, and still lends to the last requests`() async throws {
    try await withLoop { loop in
      let server = try PoolServer(loop)
      let pool = server.pool(2)
      let lease = try await pool.lease().value
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
      #expect(pool.counts.idle == 1)
      let ending = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(30)).value
      }
      try await loop.until { pool.counts.idle == 0 }
      #expect(try await echo("b", lease.resource) == "b")
      lease.giveBack()
      #expect((pool.counts.idle, pool.counts.leased) == (0, 0))
      #expect(try await ending.value.count == 0)
      server.close()
    }
  }

  @Test func `A pool that is used on another thread stops the program with a sentence`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let pool = Box(Pool(loop.tcp.connect(host: "127.0.0.1", port: 9)))
      let done = DispatchSemaphore(value: 0)
      Thread {
        pool.value!.lease { _ in }
        done.signal()
      }.start()
      done.wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("lease()"))
  }
}

extension Result where Failure == UVError {
  fileprivate var code: UVError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
