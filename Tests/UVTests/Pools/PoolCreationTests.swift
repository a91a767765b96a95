import Testing
import UV
import UVTestSupport

@Suite struct PoolCreationTests {
  @Test("A creation that fails is tried again as the policy says, and all waiters are notified at last")
  func fails() async throws {
    try await withLoop { loop in
      var attempts = 0
      let policy = RetryPolicy(attempts: 3, backoff: .constant(.milliseconds(1)))
      var limits = PoolLimits()
      limits.resources = 1
      let pool = Pool<TCPConnection>(loop, limits: limits, retry: policy) {
        attempts += 1
        throw UVError(.connectionRefused, operation: "connect")
      }
      let tasks = (0..<3).map { _ in
        loop.spawn { () async throws(UVError) in _ = try await pool.lease().value }
      }
      for task in tasks {
        await expectError(.connectionRefused, of: try await task.value)
      }
      #expect((attempts, pool.counts.failed, pool.counts.creating) == (3, 1, 0))
      try await pool.close().value
    }
  }

  @Test("Each waiter gets the error that the program's own function has thrown, as the cause")
  func cause() async throws {
    enum Refusal: Error { case wrongPassword, startingUp }
    try await withLoop { loop in
      var refusals = [Refusal.wrongPassword, .startingUp]
      let pool = Pool<TCPConnection>(loop, retry: RetryPolicy(attempts: 1)) { throw refusals.removeFirst() }
      var errors: [UVError] = []
      for refusal in refusals {
        do throws(UVError) { _ = try await pool.lease().value } catch {
          #expect(error.cause as? Refusal == refusal && error.code == .connectionAborted)
          #expect(error.message == "\(refusal)")
          errors.append(error)
        }
      }
      #expect(Set(errors).count == 2)
      #expect(UVError(.connectionAborted, operation: "create").cause == nil)
      try await pool.close().value
    }
  }

  @Test("A creation that fails ends one waiter while a connection is lent, which goes to the next")
  func failsWhileLeased() async throws {
    try await withLoop { loop in
      let server = try PoolServer(loop)
      let address = server.address
      var limits = PoolLimits()
      limits.resources = 2
      var mayConnect = true
      let pool = Pool(loop, limits: limits, retry: RetryPolicy(attempts: 1)) {
        if !mayConnect { throw UVError(.connectionRefused, operation: "connect") }
        mayConnect = false
        return try await loop.tcp.connect(to: address).value
      }
      let lease = try await pool.lease().value
      var ends: [Int] = []
      let first = loop.spawn { () async in
        do { try await pool.lease().value.giveBack() } catch { ends.append(1) }
      }
      await first.value
      #expect(ends == [1])
      lease.giveBack()
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
      try await pool.close().value
      server.close()
    }
  }

  @Test("A creation that hangs ends after its limit, and the next one has its own attempts")
  func hangs() async throws {
    try await withLoop { loop in
      let server = try PoolServer(loop)
      let address = server.address
      var limits = PoolLimits()
      (limits.resources, limits.creation) = (1, .milliseconds(20))
      var hangs = true
      let pool = Pool(loop, limits: limits, retry: RetryPolicy(attempts: 2, backoff: .none)) {
        if hangs { try await loop.sleep(for: .seconds(1000)).value }
        return try await loop.tcp.connect(to: address).value
      }
      await expectError(.timedOut, of: try await pool.lease().value)
      #expect((pool.counts.failed, pool.counts.timeouts) == (1, 0))
      hangs = false
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
      try await pool.close().value
      server.close()
    }
  }

  @Test func `A waiter that goes leaves its creation to the next one`() async throws {
    try await withPool(1) { loop, _, pool in
      var codes: [UVError.Code] = []
      let waiter = pool.lease { result in
        if case .failure(let error) = result { codes.append(error.code) }
      }
      waiter.cancel()
      try await loop.until { pool.counts.idle == 1 }
      #expect(codes == [.cancelled])
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
      #expect(pool.counts.created == 1)
    }
  }

  @Test func `An error that isn't libuv's comes as connectionAborted with its description`() async throws {
    struct WrongPassword: Error {}
    try await withLoop { loop in
      let pool = Pool<TCPConnection>(loop, retry: RetryPolicy(attempts: 1)) { throw WrongPassword() }
      await #expect { _ = try await pool.lease().value } throws: {
        let error = $0 as? UVError
        return error?.code == .connectionAborted && error?.message.contains("WrongPassword") == true
      }
      try await pool.close().value
    }
  }
}
