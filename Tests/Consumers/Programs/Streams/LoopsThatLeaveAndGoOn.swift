// Loops over connections and chunks that `continue`, `break`, throw and go on, with labels.
import UV

private enum Fault: Error { case word(String) }

private func serve(_ listener: TCPListener, _ check: (String) throws -> Void) async throws -> Int {
  var served = 0
  clients: for try await client in listener {
    defer { client.close() }
    do {
      for try await chunk in client {
        let word = String(decoding: chunk, as: UTF8.self)
        try check(word)
        if word == "skip" { continue clients }
        try await client.write(chunk).value
        if word == "last" { break clients }
      }
      try await client.shutdown().value
    } catch Fault.word(let word) {
      try await client.write(Bytes("bad \(word)")).value
    }
    served += 1
  }
  return served
}

enum LoopsThatLeaveAndGoOn: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let server = loop.spawn { try await serve(listener) { if $0 == "fault" { throw Fault.word($0) } } }
      for word in ["hello", "fault", "skip", "last"] {
        let client = try await loop.tcp.connect(to: address).value
        defer { client.close() }
        try await client.write(Bytes(word)).value
        try await client.shutdown().value
        var answer = ""
        while let chunk = try await client.read().value { answer += String(decoding: chunk, as: UTF8.self) }
        print(word, "->", answer.isEmpty ? "nothing" : answer)
      }
      print("served", try await server.value)
      listener.close()
    }
  }
}

// Prints:
// hello -> hello
// fault -> bad fault
// skip -> nothing
// last -> last
// served 2
