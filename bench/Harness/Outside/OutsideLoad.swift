import ArgumentParser

/// What is asked of a server that others wrote: an URL, or a command that does the asking. `{port}` in either is the server's port.
enum OutsideLoad: ExpressibleByArgument, Sendable {
  case url(String)
  case command(String)

  static let portMark = "{port}"

  init?(argument: String) {
    let scheme = argument.firstRange(of: "://").map { argument[..<$0.lowerBound] } ?? ""
    guard !argument.isEmpty else { return nil }
    guard ["http", "https", "redis", "rediss", "echo", "echos"].contains(scheme) else {
      self = .command(argument)
      return
    }
    self = .url(argument)
    guard server(at: 1) != nil else { return nil }
  }

  var text: String {
    switch self {
    case .url(let text), .command(let text): text
    }
  }

  /// What an URL names, if the server listens on `port`. nil for a command.
  func server(at port: UInt16) -> RemoteServer? {
    guard case .url(let text) = self else { return nil }
    return RemoteServer(argument: Self.filled(text, port))
  }

  /// Where to look whether the server listens.
  func address(at port: UInt16) -> NetworkAddress {
    server(at: port)?.address ?? NetworkAddress(host: "127.0.0.1", port: port)
  }

  static func filled(_ text: String, _ port: UInt16) -> String { text.replacing(portMark, with: "\(port)") }
}
