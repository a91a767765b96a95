// A server that refuses lines that are too long or not quite lines, goes on, and ends by itself.
import UV

enum LinesTooLong: Program {
  static func main() throws {
    let path = "/tmp/consumers-lines-\(SystemInfo.processID)"
    try EventLoop.run { loop in
      let listener = try loop.pipes.listen(path: path, replacesStale: true)
      // Somebody listens, so the socket isn't stale.
      print(code(of: try loop.pipes.listen(path: path, replacesStale: true)) == .addressInUse)

      loop.spawn {
        do {
          let client = try await loop.pipes.connect(path: path).value
          try await client.write("short\r\nmuch too long\r\nnot strict\nlast\r\n").value
          for _ in 0..<4 {
            print(try await client.readLine(limit: 100).value ?? "the end")
          }
          let shutdown = loop.spawn { try await loop.shutdownGracefully(within: .seconds(60)).value }
          print(try await client.readToEnd(limit: 100).value)
          client.close()
          print("cut off:", try await shutdown.value.count)
        } catch { print(error) }
      }

      for try await connection in listener {
        loop.spawn {
          defer { connection.close() }
          connection.endWithServer(after: .milliseconds(10), farewell: "goodbye")
          do { try await serve(connection) } catch { print(error) }
        }
      }
    }
    try EventLoop.runCallbacks { loop in try skippingByCallbacks(loop) }
  }

  private static func serve(_ connection: ByteStream) async throws(UVError) {
    while true {
      do throws(UVError) {
        guard let line = try await connection.readCRLFLine(limit: 10).value else { return }
        try await connection.write(["got ", line, "\n"]).value
      } catch {
        guard error.code == .messageTooLong || error.code == .protocolError else { throw error }
        let dropped = try await connection.skip(until: "\n", limit: 1 << 20).value ?? 0
        try await connection.write(Bytes("dropped \(dropped) bytes\n")).value
      }
    }
  }

  private static func skippingByCallbacks(_ loop: EventLoop) throws {
    let (near, far) = try loop.pipes.socketPair()
    near.skip(until: ";", limit: 10) { result in
      if case .success(let count?) = result { print(count) }
    }
    near.readCRLFLine(limit: 10) { result in
      if case .success(let line?) = result { print(line) }
      near.close()
      far.close()
    }
    far.write("abc;line\r\n") { _ in }
  }
}

// Prints:
// true
// got short
// dropped 14 bytes
// dropped 10 bytes
// got last
// goodbye
// cut off: 0
// 3
// line
