import UV
import UVHTTP

/// Answers by HTTP, and does a known number of turns of a loop for each request:
/// `proof-server callback TURNS PORT`, or `async`.
@main
enum ProofServer {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 4, let turns = Int(words[2]), let port = Int(words[3]) else {
      fatalError("proof-server callback|async TURNS PORT")
    }
    try serve(words[1], turns, port)
  }

  private nonisolated static func serve(_ style: String, _ turns: Int, _ port: Int) throws {
    let response = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
    if style == "async" {
      try EventLoop.run { loop in
        for try await exchange in try loop.http.listen(host: "127.0.0.1", port: port) {
          try? await exchange.respond(response, body(turns)).value
        }
      }
    } else {
      try EventLoop.runCallbacks { loop in
        try loop.http.listen(host: "127.0.0.1", port: port).start { result in
          if case .success(let exchange?) = result { exchange.respond(response, body(turns)).start { _ in } }
        }
      }
    }
  }

  /// Nobody can know the answer before the loop has run.
  private nonisolated static func body(_ turns: Int) -> Bytes {
    var sum: UInt64 = 0
    for turn in 0..<turns { sum = sum &* 31 &+ UInt64(turn) }
    return sum == 1 ? "one" : "hello"
  }
}
