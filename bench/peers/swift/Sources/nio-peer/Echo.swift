import NIOCore
import NIOPosix
import PeerContract

/// The echo with a channel handler.
enum HandlerEcho {
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  static func serve(on loop: any EventLoop) throws {
    let channel = try bootstrap(loop)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    serveUntilInputEnds(channel)
  }

  static func bootstrap(_ loop: any EventLoop) -> ServerBootstrap {
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
  }

  static func serveUntilInputEnds(_ channel: any Channel) {
    Contract.say("\(channel.localAddress?.port ?? 0)")
    while readLine() != nil {}
  }
}

/// The echo with `NIOAsyncChannel`.
enum AsyncEcho {
  static func serve(on loop: any EventLoop, executor: LoopTaskExecutor?) {
    Task(executorPreference: executor) {
      let server = try await HandlerEcho.bootstrap(loop).bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
      Contract.say("\(server.channel.localAddress?.port ?? 0)")
      try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
          for try await connection in connections {
            group.addTask(executorPreference: executor) {
              try? await connection.executeThenClose { inbound, outbound in
                for try await chunk in inbound { try await outbound.write(chunk) }
              }
            }
          }
        }
      }
    }
    while readLine() != nil {}
  }
}
