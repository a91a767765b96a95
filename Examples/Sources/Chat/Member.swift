import UVHTTP

/// Somebody who takes part, as those see them who have something to say.
///
/// Nobody waits for a member. Each line is sent, and if the member reads slowly, it waits in the connection. While
/// more than 64 KiB wait, the member misses what is said, and is told how much that was. A member who then doesn't
/// read for a while is cut off by `WebSocketLimits.silence`.
final class Member {
  let name: String
  private let socket: WebSocket
  private var isBehind = false
  /// How many lines the member has missed.
  private var missed = 0

  init(_ name: String, _ socket: WebSocket) { (self.name, self.socket) = (name, socket) }

  func send(_ line: String) {
    if isBehind {
      missed += 1
      return
    }
    // An error of the connection ends the task that reads it, so there is nothing to do here.
    socket.send(.text(line)) { result in if case .success = result { self.catchUp() } }
    isBehind = socket.isAboveHighWaterMark
  }

  /// The member has read so much that there is room.
  private func catchUp() {
    isBehind = socket.isAboveHighWaterMark
    if isBehind || missed == 0 { return }
    let count = missed
    missed = 0
    send("* you have missed \(count) lines")
  }
}
