import UV

/// Somebody who takes part, as those see them who have something to say.
///
/// Nobody waits for a member. Each message is written, and if the member reads slowly, it waits in the
/// connection. While there are more of them than a limit, the member misses what is said, and is told how
/// much that was. A member who then doesn't read for a while is cut off.
final class Member {
  let name: String
  private let connection: TCPConnection
  private let patience: Duration
  /// How many lines the member has missed; 0 unless too many bytes wait.
  private var missed = 0

  init(_ name: String, _ connection: TCPConnection, _ options: Chat) {
    self.name = name
    self.connection = connection
    patience = .seconds(options.patience)
    connection.highWaterMark = options.maxBacklog
  }

  func send(_ line: Bytes) {
    if missed > 0 || connection.isAboveHighWaterMark {
      missed += 1
      if missed == 1 { waitUntilRead() }
      return
    }
    // An error of the connection ends the task that reads it, so there is nothing to do here.
    connection.write(line) { _ in }
  }

  /// Waits until the member has read what there is.
  private func waitUntilRead() {
    connection.drain().timeout(after: patience).start { result in
      switch result {
      case .success:
        let count = self.missed
        self.missed = 0
        self.send(Bytes("* you have missed \(count) lines\n"))
      case .failure:
        // Too slow, or gone. The reader of the connection gets an error.
        self.connection.closeReset()
      }
    }
  }
}
