/// Where a listener listens, as its program has asked for it, so that a successor that asks for the same gets
/// the same socket.
struct ListeningPlace: Sendable {
  /// `127.0.0.1:8080`, or `unix:` and a path. With port 0, the system has chosen another.
  var text: String
  /// The name that systemd has given to the socket; empty if there is none.
  var name = ""
  /// The file that is to be removed when the last process that has the socket closes it.
  var file: SocketFile?

  /// Whether a socket is one of the Unix domain: it has a path, or an abstract name.
  static func isLocal(_ text: String) -> Bool { text.hasPrefix("unix:") || text.hasPrefix("unix-abstract:") }
}
