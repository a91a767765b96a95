// Shows SwiftNIO's channels for datagrams and for pipes.
import Foundation
import NIOCore
import UV
import UVNIO

enum DatagramsOverNIO: Program {
  static func main() throws {
    let group = try UVEventLoopGroup(count: 1)
    try datagrams(group)
    try pipes(group)
    try group.syncShutdownGracefully()
  }

  private final class Shout: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var envelope = unwrapInboundIn(data)
      envelope.data = ByteBuffer(string: String(buffer: envelope.data).uppercased())
      context.writeAndFlush(NIOAny(envelope), promise: nil)
    }
  }

  private final class First<Value: Sendable>: ChannelInboundHandler, Sendable {
    typealias InboundIn = Value

    private let promise: EventLoopPromise<Value>
    init(_ promise: EventLoopPromise<Value>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed(unwrapInboundIn(data)) }
  }

  private static func datagrams(_ group: UVEventLoopGroup) throws {
    let server = try UVDatagramBootstrap(group: group)
      .channelOption(.receivePacketInfo, value: true)
      .channelInitializer { $0.pipeline.addHandler(Shout()) }
      .bind(host: "127.0.0.1", port: 0).wait()
    let answer = group.next().makePromise(of: AddressedEnvelope<ByteBuffer>.self)
    let client = try UVDatagramBootstrap(group: group)
      .channelInitializer { $0.pipeline.addHandler(First(answer)) }
      .connect(to: server.localAddress!).wait()
    try client.writeAndFlush(ByteBuffer(string: "hello")).wait()
    print(String(buffer: try answer.futureResult.wait().data))
    do {
      try client.writeAndFlush(ByteBuffer(repeating: 0, count: 100_000)).wait()
    } catch let error as ChannelError {
      print(error == .writeMessageTooLarge)
    }
  }

  private static func pipes(_ group: UVEventLoopGroup) throws {
    let pipe = Pipe()
    let writer = try UVPipeBootstrap(group: group).channelOption(.writeSpin, value: 4)
      .takingOwnershipOfDescriptor(output: dup(pipe.fileHandleForWriting.fileDescriptor)).wait()
    let answer = group.next().makePromise(of: ByteBuffer.self)
    let reader = try UVPipeBootstrap(group: group)
      .channelInitializer { $0.pipeline.addHandler(First(answer)) }
      .takingOwnershipOfDescriptor(input: dup(pipe.fileHandleForReading.fileDescriptor)).wait()
    try writer.writeAndFlush(ByteBuffer(string: "through a pipe")).wait()
    print(String(buffer: try answer.futureResult.wait()))
    try reader.close().wait()
    try writer.close().wait()
  }
}

// Prints:
// HELLO
// true
// through a pipe
