#if Everything
import Foundation
import NIOCore
import Testing
import UV
import UVTestSupport

@testable import UVNIO

/// How channels end, and how one of their sides does.
@Suite(.serialized) struct ClosingTests {
  @Test("An open channel keeps its loop running even while nothing is read from it")
  func keeping() async throws {
    try await withThread {
      let loop = try UV.EventLoop()
      defer { loop.shutdown() }
      let servers = Log<any Channel>()
      UVServerBootstrap(group: loop.nio).serverChannelOption(.autoRead, value: false)
        .bind(host: "127.0.0.1", port: 0).whenSuccess { servers.append($0) }
      while servers.values.isEmpty { try loop.runOnce() }
      try loop.runNoWait()
      #expect(try loop.runNoWait())
      servers.values[0].close(promise: nil)
      while try loop.runOnce() {}
    }
  }

  @Test("What is left to read when a write fails is read once, inside the read whose answer failed")
  func readingAfterAFailedWrite() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let closed = group.next().makePromise(of: Void.self)
      let server = try serveUnix(group, "fail") { bootstrap in
        bootstrap.childChannelOption(
          ChannelOptions.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1000)
        )
        .childChannelInitializer { channel in
          channel.closeFuture.cascade(to: closed)
          return channel.pipeline.addHandler(Nesting(log))
        }
      }
      // On the server's loop: the connection is accepted when its peer has gone.
      try server.eventLoop.submit {
        let peer = try Socket(.unix)
        _ = try peer.startConnecting(to: server.localAddress!)
        let bytes = [UInt8](repeating: 1, count: 20_000)
        #expect(try bytes.withUnsafeBytes { try peer.transmit($0) } == 20_000)
        try peer.discard()
      }.wait()
      try closed.futureResult.wait()
    }
    #expect(log.values == ["20000 bytes, 2 deep, reported as all: true"])
  }

  @Test("Before there is a connection, the output's end waits for it, and the input's fails")
  func earlyEnd() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let ended = group.next().makePromise(of: Void.self)
      let (client, received) = try connectToCollector(group) { bootstrap in
        bootstrap.channelInitializer { channel in
          channel.close(mode: .input).whenFailure { error in
            log.append((error as? IOError)?.errnoCode == ENOTCONN ? "not connected" : "\(error)")
          }
          channel.close(mode: .output, promise: ended)
          return channel.pipeline.addHandler(Events(log))
        }
      }
      try ended.futureResult.wait()
      _ = try received.end.futureResult.wait()
      try client.closeFuture.wait()
    }
    #expect(
      log.values == ["not connected", "registered", "active", "outputClosed", "inactive", "unregistered"])
  }

  @Test("A channel whose input has ended is closed when its peer goes", arguments: [false, true])
  func goneAfterHalfClosure(isUnix: Bool) async throws {
    try await withGroup { group in
      let loop = group.next()
      let received = Collect(on: loop)
      let closed = loop.makePromise(of: Void.self)
      @Sendable func prepare(_ bootstrap: UVServerBootstrap) -> UVServerBootstrap {
        bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true).childChannelInitializer {
          channel in
          channel.closeFuture.cascade(to: closed)
          return channel.pipeline.addHandler(received)
        }
      }
      let server =
        isUnix
        ? try serveUnix(group, "gone", prepare)
        : try prepare(UVServerBootstrap(group: group)).bind(host: "127.0.0.1", port: 0).wait()
      let peer = try Socket(isUnix ? .unix : .inet)
      if try !peer.startConnecting(to: server.localAddress!) {
        var wait = pollfd(fd: peer.descriptor, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&wait, 1, -1) == 1)
      }
      try peer.end(.output)
      _ = try received.end.futureResult.wait()
      // The system reports a connection that is cut off, not one that has ended.
      try peer.setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
      try peer.discard()
      try closed.futureResult.wait()
    }
  }

  @Test("A listener that the system has no descriptors for rests, and accepts once there are some")
  func restingListener() async throws {
    try await withGroup { group in
      let accepted = group.next().makePromise(of: Void.self)
      let server = try UVServerBootstrap(group: group).childChannelInitializer { channel in
        accepted.succeed(())
        return channel.eventLoop.makeSucceededVoidFuture()
      }.bind(host: "127.0.0.1", port: 0).wait()
      // On the server's loop, which can't accept it meanwhile.
      let peer = try server.eventLoop.submit {
        let peer = try Socket(.inet)
        _ = try peer.startConnecting(to: server.localAddress!)
        let channel = server as! ServerChannel
        DescriptorLimit.reached { channel.descriptorIsReady(for: .readable, hasError: false) }
        #expect(channel.isOpen && channel.reading.isResting)
        return peer
      }.wait()
      try accepted.futureResult.wait()
      try peer.discard()
    }
  }

  @Test("A listener that fails while the system has no descriptors left is closed")
  func failedListener() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let server = try UVServerBootstrap(group: group).serverChannelOption(.autoRead, value: false)
        .serverChannelInitializer { $0.pipeline.addHandler(Events(log)) }.bind(host: "127.0.0.1", port: 0)
        .wait()
      let peer = try Socket(.inet)
      _ = try peer.startConnecting(to: server.localAddress!)
      try server.eventLoop.submit {
        DescriptorLimit.reached { (server as! ServerChannel).descriptorIsReady(for: [], hasError: true) }
      }.wait()
      try server.closeFuture.wait()
      try peer.discard()
    }
    #expect(log.values == ["registered", "active", "error", "inactive", "unregistered"])
  }
}

/// A server on a Unix socket.
private func serveUnix(
  _ group: UVEventLoopGroup, _ name: String, _ prepare: (UVServerBootstrap) -> UVServerBootstrap
) throws -> any Channel {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).\(name)").path
  return try prepare(UVServerBootstrap(group: group))
    .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
}

/// Sends back what it gets, and notes how deep its reads are in each other.
// Sound: used on its channel's loop alone.
private final class Nesting: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  private let log: Log<String>
  private var (depth, deepest, count) = (0, 0, 0)
  private var isComplete = false

  init(_ log: Log<String>) { self.log = log }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    depth += 1
    deepest = max(deepest, depth)
    count += unwrapInboundIn(data).readableBytes
    isComplete = false
    context.writeAndFlush(data, promise: nil)
    depth -= 1
  }

  func channelReadComplete(context: ChannelHandlerContext) { isComplete = true }

  func channelInactive(context: ChannelHandlerContext) {
    log.append("\(count) bytes, \(deepest) deep, reported as all: \(isComplete)")
  }
}
#endif
