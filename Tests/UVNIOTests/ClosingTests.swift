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
}

/// A server on a Unix socket.
private func serveUnix(
  _ group: UVEventLoopGroup, _ name: String, _ prepare: (UVServerBootstrap) -> UVServerBootstrap
) throws -> any Channel {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).\(name)").path
  return try prepare(UVServerBootstrap(group: group))
    .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
}

/// Runs `body` while the process can have no more descriptors.
private func withoutDescriptors(_ body: () -> Void) {
  #if os(Linux)
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let kind = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  getrlimit(kind, &limit)
  let old = limit
  limit.rlim_cur = 0
  setrlimit(kind, &limit)
  body()
  var back = old
  setrlimit(kind, &back)
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
    log.append("\(count) bytes, \(deepest) deep, told that it was all: \(isComplete)")
  }
}
