// A server that keeps connections open, and whose connections learn that it ends.
import UV

enum LastAnswers: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var told = 0

      loop.spawn {
        do {
          let busy = try await loop.tcp.connect(to: address).value
          let idle = try await loop.tcp.connect(to: address).value
          print(try await ask(busy), try await ask(idle))
          let shutdown = loop.spawn { try await loop.shutdownGracefully(within: .seconds(60)).value }
          print(try await ask(busy), try await busy.read().value == nil)
          // The idle one gets a moment, and ends too.
          print(try await idle.read().value == nil)
          print("cut off:", try await shutdown.value.count, "told:", told)
        } catch { print(error) }
      }

      for try await connection in listener {
        loop.spawn {
          do {
            try await connection.quiescing().value
            told += 1
          } catch { print(error) }
        }
        loop.spawn {
          defer { connection.close() }
          do throws(UVError) {
            connection.quiescing { result in
              if case .success = result { connection.readTimeout = .milliseconds(200) }
            }
            while let question = try await connection.readLine(limit: 100).value {
              let answer = connection.isQuiescing ? "the last answer" : "an answer"
              try await connection.write(Bytes("\(answer) to \(question)\n")).value
              if connection.isQuiescing { break }
            }
          } catch {
            if error.code != .timedOut { print(error) }
          }
        }
      }
    }
  }

  static func ask(_ connection: TCPConnection) async throws(UVError) -> Bytes {
    try await connection.write("a question\n").value
    return try await connection.readLine(limit: 100).value ?? "no answer"
  }
}

// Prints:
// an answer to a question an answer to a question
// the last answer to a question true
// true
// cut off: 0 told: 2
