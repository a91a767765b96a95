// Writes: above the high-water mark, before a close, gathered, and with a time limit.
import UV

enum WritesAndBackPressure: Program {
  static func main() throws {
    try backPressureAndDrain()
    try writeThenCloseSendsBoth()
    try completeFrames()
    try timeouts()
  }

  /// A writer that does not wait for each write stops above the high-water mark, and goes on after `drain()`.
  private static func backPressureAndDrain() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      near.highWaterMark = 100_000
      let chunk = Bytes(repeating: 0x61, count: 50_000)
      let total = 2_000_000

      let reader = loop.spawn { () async throws(UVError) -> Int in
        var count = 0
        for try await bytes in far {
          count += bytes.count
          if count == total { break }
        }
        return count
      }

      var sent = 0
      var waits = 0
      while sent < total {
        near.write(chunk) { result in
          if case .failure(let error) = result { print(error) }
        }
        sent += chunk.count
        if near.isAboveHighWaterMark {
          waits += 1
          try await near.drain().value
        }
      }
      print(try await reader.value == total, waits > 0, near.writeQueueSize)
      near.close()
      far.close()
    }
  }

  /// Two writes by callback and a close right after them: the peer reads both.
  private static func writeThenCloseSendsBoth() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      client.write("header ") { _ in }
      client.write("body") { _ in }
      client.close()
      var text = ""
      for try await chunk in connection { text += String(decoding: chunk, as: UTF8.self) }
      print(text)
      listener.close()
    }
  }

  /// Answers to commands that came together leave together, once no other command is complete.
  private static func completeFrames() throws {
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

  /// Timeouts of a stream: for silence, for a peer that doesn't read, and for both.
  private static func timeouts() throws {
    try EventLoop.run { loop in
      let (here, there) = try loop.pipes.socketPair()
      here.readTimeout = .milliseconds(10)
      do {
        for try await chunk in here { print(chunk) }
      } catch {
        print(error)
      }
      // The stream is as it was.
      try await here.write("are you there?").value
      print(try await there.read().value ?? "nothing")
      here.readTimeout = nil
      try await there.write("yes").value
      print(try await here.read().value ?? "nothing")

      // Bytes don't begin this time anew.
      here.totalTimeout = .milliseconds(50)
      try await there.write("a part").value
      do throws(UVError) {
        print(try await here.readLine(limit: 100).value ?? "nothing")
      } catch {
        print(error, here.totalTimeout ?? .zero)
      }
      here.totalTimeout = nil

      here.idleTimeout = .seconds(60)
      here.writeTimeout = .milliseconds(10)
      print(here.idleTimeout ?? .zero, here.readTimeout ?? .zero)
      do throws(UVError) {
        try await here.write(Bytes([UInt8](repeating: 0, count: 4 << 20))).value
      } catch {
        print(error.code == .timedOut, error.subject ?? "", here.isClosing)
      }
      there.close()
    }
  }
}

// Prints:
// true true 0
// header body
// abc,xy,5
// true
// read within the readTimeout of 0.01 seconds: connection timed out (ETIMEDOUT)
// are you there?
// yes
// read within the totalTimeout of 0.05 seconds: connection timed out (ETIMEDOUT) 0.05 seconds
// 60.0 seconds 0.0 seconds
// true within the writeTimeout of 0.01 seconds true
