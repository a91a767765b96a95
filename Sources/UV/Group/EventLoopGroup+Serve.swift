import CUV

extension EventLoopGroup {
  /// A way to spread connections over the loops of a group.
  public enum Balance: Hashable, Sendable {
    /// Each loop listens on the same port (`SO_REUSEPORT`), and the system chooses a loop by the connection's
    /// addresses. This takes the least work, and spreads many connections evenly.
    case system
    /// One loop listens and hands the connections on to each loop in turn. This also spreads connections
    /// evenly if they are few and long.
    case roundRobin
  }

  /// Serves a port on all loops. Each connection is served on one of the loops, by a task of its own.
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal; nil for all addresses, of IPv6 and IPv4. See
  ///     ``TCP/listen(host:port:backlog:reusePort:)``.
  ///   - port: 0…65535. With 0 the system chooses one port for all loops.
  ///   - backlog: How many connections may wait in the system to be accepted, for each listener; 1 or more.
  ///   - balance: How connections are spread over the loops.
  ///   - file: Where this is called, as the place where the tasks are spawned; see
  ///     ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - handle: What to do with a connection. It runs on the connection's loop. The connection closes when
  ///     the task drops its last reference to it.
  /// - Returns: The address that is served, with the port that the system chose.
  /// - Throws: The errors of ``TCP/listen(host:port:backlog:reusePort:)``, `loopClosed` once the group
  ///   has been shut down, and `cancelled` if the task is cancelled. In all cases no loop listens.
  ///
  /// The corresponding libuv functions are `uv_tcp_init_ex`, `uv_listen` and `uv_accept`.
  @discardableResult
  public func serve(
    host: String? = nil, port: Int, backlog: Int = 511, balance: Balance = .system,
    file: StaticString = #fileID, line: UInt = #line,
    _ handle: nonisolated(nonsending) @escaping @Sendable (TCPConnection) async -> Void
  ) async throws(UVError) -> SocketAddress {
    try await listen(host: host, port: port, backlog: backlog, balance: balance) { connection in
      connection.loop.spawn(file: file, line: line) { await handle(connection) }
    }
  }

  /// Serves a port on all loops with a callback. The callback receives each connection on the loop that
  /// serves it; see ``serve(host:port:backlog:balance:file:line:_:)``.
  ///
  /// The corresponding libuv functions are `uv_tcp_init_ex`, `uv_listen` and `uv_accept`.
  @discardableResult
  public func listen(
    host: String? = nil, port: Int, backlog: Int = 511, balance: Balance = .system,
    _ handle: @escaping @Sendable (TCPConnection) -> Void
  ) async throws(UVError) -> SocketAddress {
    try await shards(host, port, backlog, balance, handle)[0].address
  }

  /// A request to serve a port on all loops of the group, for callbacks, promises and publishers on another
  /// loop; see ``serve(host:port:backlog:balance:file:line:_:)``. Cancelling it closes the listeners.
  /// Connections that have been accepted by then are still served.
  ///
  /// ```swift
  /// group.serve(port: 8080, on: loop) { connection in … }.promise()
  ///   .done { address in print("listening on \(address)") }
  ///   .catch { error in print(error) }
  /// ```
  ///
  /// The answer arrives on `loop`, which is the loop of the calling thread and not one of the group's.
  ///
  /// The corresponding libuv functions are `uv_tcp_init_ex`, `uv_listen` and `uv_accept`.
  public func serve(
    host: String? = nil, port: Int, backlog: Int = 511, balance: Balance = .system, on loop: EventLoop,
    file: StaticString = #fileID, line: UInt = #line,
    _ handle: nonisolated(nonsending) @escaping @Sendable (TCPConnection) async -> Void
  ) -> Request<SocketAddress> {
    listen(host: host, port: port, backlog: backlog, balance: balance, on: loop) { connection in
      connection.loop.spawn(file: file, line: line) { await handle(connection) }
    }
  }

  /// A request to serve a port on all loops of the group with a callback. It is for callbacks, promises and
  /// publishers on another loop; see ``listen(host:port:backlog:balance:_:)`` and
  /// ``serve(host:port:backlog:balance:on:file:line:_:)``.
  ///
  /// The corresponding libuv functions are `uv_tcp_init_ex`, `uv_listen` and `uv_accept`.
  public func listen(
    host: String? = nil, port: Int, backlog: Int = 511, balance: Balance = .system, on loop: EventLoop,
    _ handle: @escaping @Sendable (TCPConnection) -> Void
  ) -> Request<SocketAddress> {
    Request(of: loop) { done in
      AnswerRequest(loop, "listen") { done($0.map { $0[0].address }) }.start {
        () async throws(UVError) in
        try await self.shards(host, port, backlog, balance, handle)
      } release: { shards in
        for shard in shards { await shard.close() }
      }
    }
  }

  /// Makes the listeners: on one loop, or on each.
  private func shards(
    _ host: String?, _ port: Int, _ backlog: Int, _ balance: Balance,
    _ handle: @escaping @Sendable (TCPConnection) -> Void
  ) async throws(UVError) -> [Shard] {
    let wanted = try WantedAddress(host: host, port: port)
    switch balance {
    case .system: return try await listenOnEach(wanted, backlog, handle)
    case .roundRobin:
      let shard = try await executors[0].listen(on: wanted, backlog, reusePort: false) {
        [weak self] connection in
        if let target = self?.next() { target.take(connection, handle) } else { handle(connection) }
      }
      return [shard]
    }
  }

  private func listenOnEach(
    _ wanted: WantedAddress, _ backlog: Int, _ handle: @escaping @Sendable (TCPConnection) -> Void
  ) async throws(UVError) -> [Shard] {
    var place = wanted
    var shards: [Shard] = []
    PassedSockets.share(wanted, among: executors.count)
    do throws(UVError) {
      for executor in executors {
        // The first listener binds the port; the others get the same port.
        let shard = try await executor.listen(on: place, backlog, reusePort: true, handle)
        shards.append(shard)
        place = .one(shard.address)
      }
      // A predecessor with more loops has passed more sockets, in each of which connections may wait.
      while PassedSockets.contains(shards[0].address) {
        let executor = executors[shards.count % executors.count]
        shards.append(try await executor.listen(on: place, backlog, reusePort: true, handle))
      }
    } catch {
      for shard in shards { await shard.close() }
      throw error
    }
    return shards
  }
}

/// A listener on one of a group's loops.
private struct Shard: Sendable {
  let executor: LoopExecutor
  let address: SocketAddress
  // Sound: touched on its loop only.
  let listener: UnsafeTransfer<TCPListener>

  /// Closes the listener, even in a cancelled task. Any other task waits until it is closed.
  func close() async {
    try? executor.execute { _ in _ = listener.value.close() }
    try? await executor.submit { _ in }
  }
}

/// The place of a listener that may have been made for nobody.
private final class MadeListener {
  var listener: TCPListener?
}

extension LoopExecutor {
  fileprivate func listen(
    on wanted: WantedAddress, _ backlog: Int, reusePort: Bool,
    _ handle: @escaping @Sendable (TCPConnection) -> Void
  ) async throws(UVError) -> Shard {
    // Sound: touched on the loop's thread only.
    let made = UnsafeTransfer(MadeListener())
    do throws(UVError) {
      return try await submit { loop throws(UVError) in
        let listener = try loop.tcp.listen(on: wanted, backlog: backlog, reusePort: reusePort)
        made.value.listener = listener
        listener.start { result in
          if case .success(let connection?) = result { handle(connection) }
        }
        // Sound: see `Shard`.
        return Shard(
          executor: self, address: try listener.localAddress(), listener: UnsafeTransfer(listener))
      }
    } catch {
      // The listener may have been made, or be made now, for a task that has been cancelled.
      try? execute { _ in _ = made.value.listener?.close() }
      throw error
    }
  }

  /// Makes this loop serve a connection that another loop has accepted. If that isn't possible, the other
  /// loop serves it.
  fileprivate func take(_ connection: TCPConnection, _ handle: @escaping @Sendable (TCPConnection) -> Void) {
    guard !isOnLoop, let socket = try? connection.fileDescriptor() else { return handle(connection) }
    let descriptor = cuv_duplicate(socket)
    guard descriptor >= 0 else { return handle(connection) }
    do throws(UVError) {
      try execute { loop in
        guard let connection = try? loop.tcp.open(fileDescriptor: descriptor) else {
          // The peer has gone meanwhile.
          _ = CUV.close(descriptor)
          return
        }
        connection.take(role: .accepted)
        handle(connection)
      }
    } catch {
      _ = CUV.close(descriptor)
      return handle(connection)
    }
    connection.close()
  }
}
