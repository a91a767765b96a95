#if Everything
import Dispatch
import NIOCore
import Testing
import UV
import UVNIO
import UVTestSupport

/// What a cancelled task gets that awaits a channel, whatever the loop does, and that nothing is left.
@Suite(.serialized) struct CancelledAwaitTests {
  private typealias Wrapped = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private static let wrap: @Sendable (any Channel) -> EventLoopFuture<Wrapped> = { channel in
    channel.eventLoop.makeCompletedFuture { try Wrapped(wrappingChannelSynchronously: channel) }
  }

  /// Each function for tasks that makes a channel.
  private static let functions:
    [(name: String, call: @Sendable (UVEventLoopGroup, any Channel) async throws -> Void)] = [
      (
        "connect to an address",
        { _ = try await UVClientBootstrap(group: $0).connect(to: $1.localAddress!, channelInitializer: wrap) }
      ),
      (
        "connect to a host",
        { group, server in
          _ = try await UVClientBootstrap(group: group).connect(
            host: "localhost", port: server.localAddress!.port!, channelInitializer: wrap)
        }
      ),
      (
        "listen",
        { group, _ in
          _ = try await UVServerBootstrap(group: group).bind(
            host: "127.0.0.1", port: 0, childChannelInitializer: wrap)
        }
      ),
      (
        "bind for datagrams",
        { group, _ in
          _ = try await UVDatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
              try NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>(
                wrappingChannelSynchronously: channel)
            }
          }
        }
      ),
    ]

  @Test(
    "A task that awaits a channel and is cancelled ends, although the loop doesn't answer",
    arguments: functions.map(\.name), [false, true])
  func ends(name: String, isCancelledBefore: Bool) async throws {
    let function = try #require(Self.functions.first { $0.name == name })
    try await withGroup { group in
      let server = try serve(group) { [Echo()] }
      let (entered, gate, ended) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      group.next().execute {
        entered.signal()
        gate.wait()
      }
      entered.wait()
      let begun = DispatchSemaphore(value: 0)
      let task = Task {
        defer { ended.signal() }
        if isCancelledBefore { while !Task.isCancelled { await Task.yield() } }
        begun.signal()
        await #expect(throws: CancellationError.self) { try await function.call(group, server) }
      }
      if isCancelledBefore { task.cancel() }
      begun.wait()
      task.cancel()
      ended.wait()
      gate.signal()
      // The channels that the loop makes afterwards are closed: the group's end says whether a descriptor is
      // left.
      try group.next().submit {}.wait()
    }
  }

  @Test("A task that waits for a peer which doesn't accept ends when it is cancelled, with its channel")
  func noAnswer() async throws {
    try await withGroup { group in
      // Connections beyond the backlog get no answer.
      let server = try UVServerBootstrap(group: group).serverChannelOption(.backlog, value: 0)
        .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).wait()
      let closed = DispatchGroup()
      let ended = DispatchGroup()
      for number in 0..<8 {
        closed.enter()
        ended.enter()
        let initialized = DispatchSemaphore(value: 0)
        let task = Task {
          defer { ended.leave() }
          let bootstrap = UVClientBootstrap(group: group).channelInitializer { channel in
            channel.closeFuture.whenComplete { _ in closed.leave() }
            initialized.signal()
            return channel.eventLoop.makeSucceededVoidFuture()
          }
          do {
            let made =
              number % 2 == 0
              ? try await bootstrap.connect(to: server.localAddress!, channelInitializer: Self.wrap)
              : try await bootstrap.connect(
                host: "127.0.0.1", port: server.localAddress!.port!, channelInitializer: Self.wrap)
            try await made.executeThenClose { _, _ in }
          } catch { #expect(error is CancellationError, "\(error)") }
        }
        initialized.wait()
        task.cancel()
      }
      ended.wait()
      closed.wait()
    }
  }

  @Test("A connection that is refused fails, although a channel for tasks was made of it")
  func refused() async throws {
    try await withGroup { group in
      let server = try serve(group) { [] }
      let address = server.localAddress!
      try server.close().wait()
      let ended = DispatchSemaphore(value: 0)
      Task {
        defer { ended.signal() }
        await #expect(throws: IOError.self) {
          _ = try await UVClientBootstrap(group: group).connect(to: address, channelInitializer: Self.wrap)
        }
        await #expect(throws: UVConnectionError.self) {
          _ = try await UVClientBootstrap(group: group).connect(
            host: "127.0.0.1", port: address.port!, channelInitializer: Self.wrap)
        }
      }
      ended.wait()
    }
  }

  @Test("get() of a future waits for it as with NIO; on the loop it comes back to the loop")
  func future() async throws {
    try await withLoop { loop in
      let promise = loop.nio.makePromise(of: Int.self)
      let task = loop.spawn { try await promise.futureResult.get() }
      await Task.yield()
      task.cancel()
      loop.queueMicrotask { promise.succeed(1) }
      let value = try await task.value
      #expect(value == 1)
      #expect(loop.executor.isOnLoop)
    }
  }
}
#endif
