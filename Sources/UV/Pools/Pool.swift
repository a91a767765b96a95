/// Connections, or other resources, that are expensive to make and are used by one function at a time.
///
/// ```swift
/// let pool = Pool(loop.tcp.connect(host: "localhost", port: 6379))
/// let answer = try await pool.withResource { connection in
///   try await connection.write("PING\r\n").value
///   return try await connection.readLine(limit: 100).value
/// }
/// ```
///
/// A resource is created when somebody asks and none is idle, up to ``PoolLimits/resources``. Others wait in
/// the order in which they asked. The resource that was used last is lent first, so those that aren't needed
/// become idle for long enough to be closed.
///
/// A connection whose peer goes away while it is idle is closed at once, and isn't lent. A peer can also go
/// while a request is on its way to it, which no pool can know. So a function that uses a connection handles
/// that error, or tries again.
///
/// An idle resource doesn't keep the loop running. When a graceful shutdown of the loop begins, idle
/// resources are closed. Leases are still granted, since the last requests may need them, but what is given
/// back is closed if nobody waits for it.
///
/// Use a pool on its loop's thread only. You may drop the last reference to it on any thread, which does the
/// same as ``close()``.
public final class Pool<Resource: PoolResource> {
  private let core: PoolCore<Resource>

  /// Makes a pool. It is empty until somebody asks for a resource.
  ///
  /// - Parameters:
  ///   - creation: Makes a resource each time that it is started, such as `loop.tcp.connect(…)`. Its `map`
  ///     puts a connection into an object of your own.
  ///   - limits: How much the pool may hold, and for how long.
  ///   - retry: How often to try again if a creation fails, and after which pauses.
  public init(
    _ creation: Request<Resource>, limits: PoolLimits = PoolLimits(), retry: RetryPolicy = RetryPolicy()
  ) {
    core = PoolCore(creation, limits, retry)
    core.begin()
  }

  /// Makes a pool whose resources are created by an asynchronous function, for example one that connects and
  /// then signs in.
  ///
  /// - Parameters:
  ///   - loop: The loop that the resources belong to.
  ///   - limits: How much the pool may hold, and for how long.
  ///   - retry: How often to try again if a creation fails, and after which pauses.
  ///   - create: Makes a resource, in a task of its own. The task is cancelled after
  ///     ``PoolLimits/creation``, and when the pool is closed. If it throws another error than a ``UVError``,
  ///     each waiter gets `connectionAborted` with that error's description, and the error itself as
  ///     ``UVError/cause``.
  public convenience init(
    _ loop: EventLoop, limits: PoolLimits = PoolLimits(), retry: RetryPolicy = RetryPolicy(),
    create: nonisolated(nonsending) @escaping () async throws -> Resource
  ) {
    self.init(Request(loop, creating: create), limits: limits, retry: retry)
  }

  deinit { core.reference.perform { $0.end() } }

  /// The loop that the pool belongs to.
  public var loop: EventLoop { core.loop }

  /// The numbers of resources and waiters now, and of the events since the pool was made. Complexity: O(1).
  public var counts: PoolCounts { core.currentCounts }

  /// Asks for a resource.
  ///
  /// ```swift
  /// let lease = try await pool.lease().value
  /// defer { lease.giveBack() }
  /// ```
  ///
  /// In asynchronous code ``withResource(keepingAfter:_:)`` is simpler, and gives back in each case.
  ///
  /// - Returns: A request for the lease. It fails with `timedOut` after ``PoolLimits/wait``, with `busy` if
  ///   too many wait, with the error of a creation that has failed after all its attempts, with `cancelled`
  ///   if the pool is closed or the loop ends meanwhile, and with `badDescriptor` after ``close()``. A
  ///   creation that fails ends all waiters, or only the first if resources are lent that may still
  ///   come back. If the request is cancelled, a creation that it has begun goes on, and its resource becomes
  ///   idle.
  public func lease() -> Request<PoolLease<Resource>> { Request(of: loop) { [self] in lease($0) } }

  /// Asks for a resource; see ``lease()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  @discardableResult
  public func lease(_ done: @escaping Completion<PoolLease<Resource>>) -> PendingRequest {
    loop.requireOnLoop("lease()")
    return core.lease(done)
  }

  /// Lends a resource that is idle; nil if there is none, or if others wait.
  package func leaseAtOnce() -> PoolLease<Resource>? {
    loop.requireOnLoop("lease()")
    return core.leaseAtOnce()
  }

  /// Runs `body` with a resource, and ends the lease in each case: if `body` returns, throws or is cancelled.
  ///
  /// After an error nobody knows what state the resource is in: an answer that `body` no longer waits for
  /// would be taken for the next one's. So the resource is then closed, unless `keepingAfter` says that it is
  /// still good.
  ///
  /// - Parameters:
  ///   - isGood: Whether the resource is still good after an error of `body`, for example one with which the
  ///     peer has answered.
  ///   - body: What to do with the resource. Don't keep the resource.
  /// - Returns: What `body` returned.
  /// - Throws: The errors of ``lease()``, and what `body` threw.
  public nonisolated(nonsending) func withResource<T>(
    keepingAfter isGood: (any Error) -> Bool = { _ in false },
    _ body: nonisolated(nonsending) (Resource) async throws -> T
  ) async throws -> T {
    let lease = try await lease().value
    do {
      let value = try await body(lease.resource)
      lease.giveBack()
      return value
    } catch {
      if isGood(error) { lease.giveBack() } else { lease.discard() }
      throw error
    }
  }

  /// Closes the pool. Callers that wait get an error, idle resources close, and each of the others closes when it is
  /// given back. Calling this function again does nothing more.
  ///
  /// Closing starts at once, even if you ignore the request.
  ///
  /// - Returns: A request that succeeds when the last resource is closed. It fails with `cancelled` if the
  ///   loop ends before.
  @discardableResult
  public func close() -> Request<Void> {
    core.end()
    return Request(of: loop) { [self] in close($0) }
  }

  /// Closes the pool; see ``close()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel. It ends the waiting only.
  @discardableResult
  public func close(_ done: @escaping Completion<Void>) -> PendingRequest {
    core.end()
    return core.waitForEnd(done)
  }
}

extension Request {
  /// A request whose work is an asynchronous function, which runs in a task of its own.
  fileprivate init(
    _ loop: EventLoop, creating create: nonisolated(nonsending) @escaping () async throws -> Success
  ) {
    self.init(of: loop, operation: "create") { done in
      let task = loop.spawn {
        do {
          done(.success(try await create()))
        } catch {
          done(
            .failure(
              error as? UVError
                ?? UVError(
                  error.isCancellation ? .cancelled : .connectionAborted, operation: "create", cause: error)))
        }
      }
      return PendingRequest("create") { task.cancel() }
    }
  }
}
