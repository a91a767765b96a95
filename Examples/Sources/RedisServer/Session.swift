import RedisCommands
import UV
import UVFutures

/// The conversation with one client. The loop of a style reads, passes the bytes on, and starts the request that writes
/// the answers; see Styles.swift.
final class Session {
  let connection: ByteStream
  private let server: Server
  private var conversation: Conversation
  /// Whether the connection ends after the answer.
  var isOver: Bool { conversation.isOver }
  /// The subscription of the publishers' style.
  var subscription: AnyCancellable?

  init(_ connection: ByteStream, _ server: Server) {
    self.connection = connection
    self.server = server
    conversation = Conversation(maxValue: server.maxValue)
    // When the server ends, a client that has nothing more to ask is let go.
    connection.quiescing { result in
      if case .success = result { connection.readTimeout = .milliseconds(100) }
    }
  }

  /// Executes the commands that are complete with these bytes.
  ///
  /// - Returns: A request that writes the answers. Commands that came together are answered together, by one write.
  func answer(_ bytes: Bytes) -> Request<Void> {
    conversation.take(bytes, by: server.execute)
    return conversation.answers.write(to: connection)
  }

  /// The end of the conversation, called once.
  ///
  /// - Parameter error: Why it has ended early. That a client vanishes is nothing to report.
  func end(_ error: UVError?) {
    subscription = nil
    let isEnding = connection.isQuiescing
    connection.close()
    server.clientLeft()
    if isEnding, error?.code == .timedOut { return }
    if let error, ![.connectionReset, .brokenPipe, .tlsTruncated].contains(error.code) {
      report("a connection ended early: \(error)", connection.loop)
    }
  }
}
