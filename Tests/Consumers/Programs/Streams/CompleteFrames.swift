// Answers to commands that came together leave together, once no other command is complete.
import UV

enum CompleteFrames: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let server = loop.spawn { () async throws(UVError) in
        try await serve(try await listener.accept().value)
      }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      try await client.write("PUT 3\r\nabcPUT 2\r\nxyNOP\r\n\r\nend;PUT").value
      try await client.shutdown().value
      print(String(decoding: try await client.readToEnd(limit: 100).value, as: UTF8.self))
      do { try await server.value } catch { print((error as? UVError)?.code == .endOfFile) }
    }
  }

  private static func serve(_ connection: TCPConnection) async throws(UVError) {
    defer { connection.close() }
    while let line = try await connection.readLine(limit: 80).value {
      var answers = try [answer(line, connection)]
      while let next = try connection.tryReadLine(limit: 80) { try answers.append(answer(next, connection)) }
      try await connection.write([Bytes(answers.joined(separator: ","))]).value
    }
  }

  private static func answer(_ line: Bytes, _ connection: TCPConnection) throws(UVError) -> String {
    guard line.starts(with: "PUT ") else {
      return "\(try connection.tryRead(until: ";", limit: 10)?.count ?? -1)"
    }
    return "\(try connection.tryRead(exactly: Bytes(line[4...]).decimal ?? 0)?.description ?? "none")"
  }
}

// Prints:
// abc,xy,5
// true
