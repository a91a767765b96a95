import RedisCommands
import UV
import UVFutures

/// The conversation with one client. The loop of a style reads, passes the bytes on, and starts the request
/// that writes the answers; see Styles.swift.
final class Session {
  let connection: ByteStream
  private let server: Server
  private var conversation: Conversation
  /// Whether the connection ends after the answer.
  var isOver: Bool { conversation.isOver }
  /// The subscription of the publishers' style.
  var subscription: AnyCancellable?
  /// When the connection has lasted long enough, and ends with the next answer.
  private let lifetimeEnd: LoopClock.Instant
  /// A command that comes, or the answer to it.
  private struct Part: Equatable {
    let command: Int
    let isComing: Bool
  }

  /// The part of the conversation that has a time; nil if it takes none.
  private var limitedPart: Part?
  /// How much memory this client's command takes, as the server counts it.
  private var held = 0

  /// An answer of so many bytes may be more than one wait for the client.
  private static let longAnswer = 4096
  /// Commands that take less than this aren't counted.
  private static let smallCommand = 16 * 1024

  init(_ connection: ByteStream, _ server: Server) {
    self.connection = connection
    self.server = server
    conversation = Conversation(maxValue: server.limits.maxValue)
    lifetimeEnd = connection.loop.now.advanced(by: server.limits.lifetime)
    connection.readTimeout = server.limits.idleTimeout
    connection.writeTimeout = server.limits.commandTimeout
    // When the server ends, a client that has nothing more to ask is let go.
    connection.endWithServer(after: .milliseconds(100))
  }

  /// Executes the commands that are complete with these bytes.
  ///
  /// - Returns: A request that writes the answers. Commands that came together are answered together, by one
  ///   write; if their answers are long, by several, each when the one before has left.
  func answer(_ bytes: Bytes) -> Request<Void> {
    conversation.take(bytes, by: server.execute)
    limit()
    let first = conversation.answers.write(to: connection)
    if !conversation.hasMore { return first }
    return Request(connection.loop) { [self] done in writeAll(first, done) }
  }

  private func writeAll(_ first: Request<Void>, _ done: @escaping Completion<Void>) -> PendingRequest {
    var stage = PendingRequest()
    func write(_ portion: Request<Void>) {
      stage = portion.start { [self] result in
        guard case .success = result, conversation.hasMore else { return done(result) }
        conversation.takeMore(by: server.execute)
        limit()
        write(conversation.answers.write(to: connection))
      }
    }
    write(first)
    return PendingRequest { stage.cancel() }
  }

  /// Limits what the command that is under way, or its answer, may take: memory and time. Most come and go at
  /// once, and need neither.
  private func limit() {
    let count = conversation.heldCount < Self.smallCommand ? 0 : conversation.heldCount
    if count != held {
      if !server.hold(count - held) { conversation.refuse("too much is under way") }
      held = count
    }
    limitTime()
    if connection.loop.now >= lifetimeEnd { conversation.finishIfIdle() }
  }

  private func limitTime() {
    let isComing = conversation.isInCommand && !conversation.hasMore
    guard isComing || conversation.hasMore || conversation.answers.count > Self.longAnswer else {
      if limitedPart != nil { connection.totalTimeout = nil }
      limitedPart = nil
      return
    }
    let part = Part(command: conversation.commandCount, isComing: isComing)
    // A part that goes on has the time that is left.
    if part == limitedPart { return }
    connection.totalTimeout = server.limits.commandTimeout
    limitedPart = part
  }

  /// The end of the conversation, called once.
  ///
  /// - Parameter error: Why it has ended early. That a client vanishes, or is too slow, is nothing to report.
  func end(_ error: UVError?) {
    subscription = nil
    connection.close()
    server.clientLeft()
    if held != 0 { _ = server.hold(-held) }
    if let error, ![.connectionReset, .brokenPipe, .tlsTruncated, .timedOut].contains(error.code) {
      report("a connection ended early: \(error)", connection.loop)
    }
  }
}
