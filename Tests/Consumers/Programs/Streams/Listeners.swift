// Listeners: refused, limited, closed by their program, and loops over what they accept.
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

enum Listeners: Program {
  static func main() throws {
    try connectToNobody()
    try connectionLimit()
    try listenerClosedByItsProgram()
    try loopsThatLeaveAndGoOn()
  }

  /// A connection to a port that nobody listens on, and a listener on a port that is taken.
  private static func connectToNobody() throws {
    EventLoop.run { loop in
      do throws(UVError) {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let address = try listener.localAddress()
        do throws(UVError) {
          let second = try loop.tcp.listen(host: "127.0.0.1", port: Int(address.port))
          second.close()
        } catch {
          print(error.code == .addressInUse)
        }
        try await listener.close().value
        _ = try await loop.tcp.connect(to: address).value
      } catch  where error.code == .connectionRefused {
        print("refused")
      } catch {
        print("other: \(error)")
      }
    }
  }

  /// A listener with a limit serves one peer after the other, and all of them in the end.
  private static func connectionLimit() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = 1
      let address = try listener.localAddress()
      _ = loop.spawn {
        var open = 0
        for try await connection in listener {
          open += 1
          print("open: \(open)")
          _ = loop.spawn {
            for try await chunk in connection { try await connection.write(chunk).value }
            open -= 1
            connection.close()
          }
        }
      }
      try await loop.withTasks { tasks in
        for _ in 0..<3 {
          tasks.spawn {
            let client = try await loop.tcp.connect(to: address).value
            try await client.write("hello").value
            _ = try await client.read().value
            client.close()
          }
        }
      }
      listener.close()
    }
  }

  /// A listener that its own program closes ends the loop over it, and the requests in flight are answered.
  private static func listenerClosedByItsProgram() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      loop.spawn {
        do {
          let client = try await loop.tcp.connect(to: address).value
          try await client.write("request").value
          let answer = try await client.read().value
          print(answer.map { String(decoding: $0, as: UTF8.self) } ?? "no answer")
          client.close()
        } catch { print("client: \(error)") }
      }
      for try await connection in listener {
        loop.spawn {
          do {
            _ = try await connection.read().value
            listener.close()
            try await connection.write("answer").value
          } catch { print("server: \(error)") }
          connection.close()
        }
      }
      print("no longer listening")
    }
  }

  /// Loops over connections and chunks that `continue`, `break`, throw and go on, with labels.
  private static func loopsThatLeaveAndGoOn() throws {
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
// true
// refused
// open: 1
// open: 1
// open: 1
// no longer listening
// answer
// hello -> hello
// fault -> bad fault
// skip -> nothing
// last -> last
// served 2
