import NIOCore
import UV
import UVNIO
import UVSimulation
import WorldSupport

/// Channels of NIO's, with frames in their pipelines, on both sides: each frame is answered once and in
/// order, the end of the input is heard in its place, and every promise is settled. The loops are the hosts' own,
/// because NIO's groups end by way of Dispatch.
func nioWorld(_ world: World) throws {
  let server = world.host("server") { loop in
    let end = loop.spawn {
      let signals = try loop.signals(.terminate)
      _ = try await signals.next().value
      signals.close()
    }
    let channel = try await UVServerBootstrap(group: loop.nio)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(ByteToMessageHandler(Frames()))
          try pipeline.addHandler(Answers())
        }
      }
      .bind(host: "0.0.0.0", port: 80).get()
    try await end.value
    try await channel.close().get()
  }
  try ask(server, in: world) { loop, number in
    for round in 0..<3 {
      let hears = Heard(loop.nio.makePromise(of: Void.self))
      let channel = try await UVClientBootstrap(group: loop.nio)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteToMessageHandler(Frames()))
            try pipeline.addHandler(hears)
          }
        }
        .connect(host: "server", port: 80).get()
      let count = 1 + Int.random(in: 0..<12)
      var settled: [EventLoopFuture<Void>] = []
      for frame in 0..<count {
        let body = message(number + round + frame, Int.random(in: 0..<[10, 40_000][Int.random(in: 0..<2)]))
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt32(body.count))
        buffer.writeBytes(body)
        hears.sent.append(body)
        settled.append(channel.write(buffer))
        if Int.random(in: 0..<2) == 0 { channel.flush() }
        if Int.random(in: 0..<4) == 0 {
          try await loop.sleep(for: .milliseconds(Int64.random(in: 0..<300))).value
        }
      }
      channel.flush()
      if Int.random(in: 0..<4) == 0 {
        // In the middle.
        try await channel.close().get()
        for future in settled { _ = try? await future.get() }
        try await hears.end.get()
        continue
      }
      for future in settled { try await future.get() }
      try await channel.close(mode: .output).get()
      try await hears.end.get()
      if hears.heard != hears.sent.count {
        throw Violation("client \(number): \(hears.heard) frames of \(hears.sent.count), \(hears.order)")
      }
      // As with NIO's own channels, the end of the input closes a channel whose output has ended.
      if hears.order != ["active", "inactive"] { throw Violation("client \(number): \(hears.order)") }
      if let complaint = hears.complaint { throw Violation("client \(number): \(complaint)") }
    }
  }
}

/// A length, and so many bytes.
private struct Frames: ByteToMessageDecoder {
  typealias InboundOut = ByteBuffer

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
    guard let frame = buffer.readLengthPrefixedSlice(as: UInt32.self) else { return .needMoreData }
    context.fireChannelRead(wrapInboundOut(frame))
    return .continue
  }

  mutating func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool)
    -> DecodingState
  {
    if buffer.readableBytes == 0 { return .needMoreData }
    let state = decode(context: context, buffer: &buffer)
    if case .needMoreData = state { buffer.clear() }
    return state
  }
}

/// Answers each frame, now and then later, and ends its side when the peer has.
// Sound: one thread of a world runs at a time.
private final class Answers: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var waiting: [ByteBuffer] = []
  private var isWaiting = false
  private var hasEnded = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    waiting.append(unwrapInboundIn(data))
    if isWaiting { return }
    if Int.random(in: 0..<3) > 0 { return answer(context) }
    isWaiting = true
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .milliseconds(Int64.random(in: 0..<200))) {
      self.isWaiting = false
      self.answer(bound.value)
    }
  }

  private func answer(_ context: ChannelHandlerContext) {
    for var frame in waiting {
      var buffer = ByteBuffer()
      buffer.writeInteger(UInt32(frame.readableBytes))
      buffer.writeBuffer(&frame)
      context.write(wrapOutboundOut(buffer), promise: nil)
    }
    waiting = []
    context.flush()
    if !hasEnded { return }
    // Closing fails what is still to be written, so it waits for the last of that.
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in bound.value.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event as? ChannelEvent == .inputClosed else { return }
    hasEnded = true
    if !isWaiting { answer(context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Compares the answers with what was sent, and notes the order of what it hears.
// Sound: one thread of a world runs at a time.
private final class Heard: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  var sent: [Bytes] = []
  private(set) var heard = 0
  private(set) var order: [String] = []
  private(set) var complaint: String?
  private let promise: EventLoopPromise<Void>
  var end: EventLoopFuture<Void> { promise.futureResult }

  init(_ promise: EventLoopPromise<Void>) { self.promise = promise }

  func channelActive(context: ChannelHandlerContext) {
    order.append("active")
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if order.last == "inputClosed" || order.last == "inactive" { complaint = "a frame after the end" }
    if heard >= sent.count || !frame.readableBytesView.elementsEqual(sent[heard]) {
      complaint = "frame \(heard) is another one"
    }
    heard += 1
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      order.append("inputClosed")
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    order.append("inactive")
    promise.succeed(())
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { complaint = "\(error)" }
}
