import UV
import UVFutures

/// The conversation with one client. The loop of a style reads, passes the bytes on, and starts the request that writes
/// the answers; see Styles.swift.
final class Session {
  let connection: ByteStream
  private let server: Server
  private var exchange: Exchange
  /// Whether the connection ends after the answer.
  var isOver: Bool { exchange.isOver }
  /// The subscription of the publishers' style.
  var subscription: AnyCancellable?

  init(_ connection: ByteStream, _ server: Server) {
    self.connection = connection
    self.server = server
    exchange = Exchange(maxValue: server.maxValue)
    // When the server ends, a client that has nothing more to ask is let go.
    connection.quiescing { result in
      if case .success = result { connection.readTimeout = .milliseconds(100) }
    }
  }

  /// Executes the commands that are complete with these bytes.
  ///
  /// - Returns: A request that writes the answers. Commands that came together are answered together, by one write.
  func answer(_ bytes: Bytes) -> Request<Void> {
    exchange.take(bytes, server)
    return exchange.answers.write(to: connection)
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

/// The state of a conversation. It is a value, so that Swift checks once for each chunk of bytes, and not at each of its steps, that
/// nobody else uses it.
private struct Exchange {
  private var parser: CommandParser
  private(set) var answers = Answers()
  /// Whether the client has said goodbye, or something that can't be understood.
  private(set) var isOver = false

  init(maxValue: Int) { parser = CommandParser(maxValue: maxValue) }

  /// Executes the commands that are complete with these bytes, and gathers the answers.
  mutating func take(_ bytes: Bytes, _ server: Server) {
    // The answers before these have been written, so their memory is free.
    answers.removeAll()
    parser.append(bytes)
    do throws(ProtocolError) {
      while !isOver, try parser.next() {
        isOver = server.execute(parser.arguments, parser.largeArgument, &answers)
      }
    } catch {
      // The bytes that follow can't be understood either.
      answers.error("ERR Protocol error: \(error.message)")
      isOver = true
    }
  }
}
