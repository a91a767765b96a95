import ArgumentParser
import NIOCore
import Synchronization

/// The limits of a connection. NIO has none unless somebody adds them.
struct LimitOptions: ParsableArguments {
  @Option(help: "How many connections may be open at a time; others are closed.") var maxConnections = 10_000
  @Option(help: "How many seconds a connection may be silent in both directions.") var idleTimeout = 60
  @Option(
    help: "How many seconds a handshake and a request may take, and what is sent may wait for the client.")
  var requestTimeout = 30
  @Option(help: "How many seconds a connection may last, whatever it does.") var lifetime = 3600

  func validate() throws {
    guard maxConnections >= 1, idleTimeout >= 1, requestTimeout >= 1, lifetime >= 1 else {
      throw ValidationError(
        "--max-connections, --idle-timeout, --request-timeout and --lifetime are 1 or more.")
    }
  }
}

/// Counts connections, on all loops.
final class ConnectionCount: Sendable {
  private let count = Atomic(0)

  /// Adds a connection until it closes. Returns false if there are too many.
  func add(_ channel: any Channel, atMost limit: Int) -> Bool {
    let isAllowed = count.add(1, ordering: .relaxed).newValue <= limit
    channel.closeFuture.whenComplete { _ in self.count.subtract(1, ordering: .relaxed) }
    return isAllowed
  }
}

/// Closes a connection that takes too long, and doesn't read from a client that doesn't read. It is the first
/// handler, and sees the bytes as they come and go.
///
/// Once a second it looks at the clock. Bytes renew the time of silence, and none of the others.
final class ConnectionLimits: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let idleTimeout: TimeAmount
  private let requestTimeout: TimeAmount
  private let lifetimeEnd: NIODeadline
  private var clock: RepeatedTask?
  private var lastBytes = NIODeadline.now()
  /// When the request began that is under way, or the handshake before it; nil between two requests.
  private var requestBegin: NIODeadline? = .now()
  private var hasRequests = true
  /// Since when the client has too much to read; nil if it hasn't.
  private var fullSince: NIODeadline?
  /// Whether a handler wants to read, but has to wait until the client has read.
  private var isReadPending = false

  init(_ options: LimitOptions) {
    idleTimeout = .seconds(Int64(options.idleTimeout))
    requestTimeout = .seconds(Int64(options.requestTimeout))
    lifetimeEnd = .now() + .seconds(Int64(options.lifetime))
  }

  /// The limits of a channel, on its loop; nil if it is one of HTTP/2's requests, which has none of its own.
  static func of(_ channel: any Channel) -> ConnectionLimits? {
    try? channel.pipeline.syncOperations.handler(type: ConnectionLimits.self)
  }

  /// A request has come completely.
  func requestEnded() { requestBegin = nil }

  /// The connection goes on with something else than requests one after the other.
  func requestsEnd() {
    hasRequests = false
    requestBegin = nil
  }

  // MARK: The clock

  func handlerAdded(context: ChannelHandlerContext) {
    let limits = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    clock = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
      let (limits, context) = limits.value
      if limits.isOver { context.close(promise: nil) }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { clock.take()?.cancel() }

  private var isOver: Bool {
    let now = NIODeadline.now()
    return now >= lifetimeEnd || now - lastBytes >= idleTimeout
      || [requestBegin, fullSince].contains { $0.map { now - $0 >= requestTimeout } ?? false }
  }

  // MARK: Bytes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastBytes = .now()
    if hasRequests, requestBegin == nil { requestBegin = lastBytes }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lastBytes = .now()
    context.write(data, promise: promise)
  }

  func read(context: ChannelHandlerContext) {
    if context.channel.isWritable { context.read() } else { isReadPending = true }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    let isWritable = context.channel.isWritable
    fullSince = isWritable ? nil : .now()
    if isWritable, isReadPending {
      isReadPending = false
      context.read()
    }
    context.fireChannelWritabilityChanged()
  }
}
