// Shows SwiftNIO's channels on a group, with handlers and with async sequences, and on a loop beside its own connections.
import NIOCore
import UV
import UVNIO

enum EchoOverNIO: Program {
  static func main() throws {
    try UV.EventLoop.run { loop in
      try await onAGroup()
      try await onThisLoop(loop)
    }
  }

  private final class Echo: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.writeAndFlush(data, promise: nil)
    }
  }

  private static func onAGroup() async throws {
    let group = try UVEventLoopGroup(count: 2, name: "echo")
    print(group)
    let server = try await UVServerBootstrap(group: group, childGroup: group)
      .serverChannelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 2)
      .childChannelInitializer { $0.pipeline.addHandler(Echo()) }
      .bind(host: "127.0.0.1", port: 0).get()
    let address = server.localAddress!
    let client = UVClientBootstrap(group: group)
      .channelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
      .channelOption(.autoRead, value: true).connectTimeout(.seconds(5))
    print(try await ask(client, address.port!, "hello"))

    let own = try await group.next().scheduleTask(in: .milliseconds(1)) { "a task" }.futureResult.get()
    print("scheduled:", own)
    do {
      try await server.close()
      _ = try await client.connect(host: "127.0.0.1", port: address.port!).get()
    } catch let error as UVConnectionError {
      print(
        "failed:", error.host, error.port == address.port!, error.attempts.count, error.lookupError == nil)
      print("at:", error.attempts[0].address == address, error.attempts[0].error is IOError)
    }
    let loop = group.next() as! UVEventLoop
    print("on a loop:", await Task(executorPreference: loop.taskExecutor) { loop.inEventLoop }.value)
    try await group.shutdownGracefully()
  }

  /// Sends a word, and returns what comes back.
  private static func ask(_ client: UVClientBootstrap, _ port: Int, _ word: String) async throws -> String {
    let channel = try await client.connect(host: "127.0.0.1", port: port) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    return try await channel.executeThenClose { input, output in
      try await output.write(ByteBuffer(string: word))
      for try await bytes in input { return String(buffer: bytes) }
      return "nothing"
    }
  }

  /// The server is NIO's, and the client is swift-uv's.
  private static func onThisLoop(_ loop: UV.EventLoop) async throws {
    let server = try await UVServerBootstrap(group: loop.nio)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // As behind a load balancer.
          try channel.pipeline.syncOperations.addHandler(ProxyProtocolHandler(from: ["127.0.0.1"]))
          try channel.pipeline.syncOperations.addHandler(Echo())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let connection = try await loop.tcp.connect(host: "127.0.0.1", port: server.localAddress!.port!).value
    try await connection.write("PROXY UNKNOWN\r\non one loop").value
    print(try await connection.next().value.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")
    try await connection.close().value
    try await server.close()
  }
}

// Prints:
// UVEventLoopGroup(2 loops)
// hello
// scheduled: a task
// failed: 127.0.0.1 true 1 true
// at: true true
// on a loop: true
// on one loop
