// Servers that end: on a signal, and with connections that learn of it.
import UV

enum EndsOfServers: Program {
  static func main() throws {
    try lastAnswers()
    try serverThatStopsOnASignal()
  }

  /// A server that keeps connections open, and whose connections learn that it ends.
  private static func lastAnswers() throws {
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

  /// A server that a signal ends, as the documentation of a group shows it.
  private static func serverThatStopsOnASignal() throws {
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { loop in
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        do {
          for try await chunk in connection { try await connection.write(chunk).value }
        } catch { print(error) }
      }
      let client = try await loop.tcp.connect(to: address).value
      try await client.write("hello").value
      print(try await client.read().value == "hello")
      client.close()

      loop.spawn {
        do {
          // The signal is watched for by the time that the loop waits.
          try await loop.sleep(for: .zero).value
          try loop.processes.kill(SystemInfo.processID, .user1)
        } catch { print(error) }
      }
      let report = try await group.shutdownGracefully(
        onSignals: [.user1, .terminate], within: .seconds(10), on: loop
      ).value
      print("\(report.count) connections were cut off")
    }
  }
}

// Prints:
// an answer to a question an answer to a question
// the last answer to a question true
// true
// cut off: 0 told: 2
// true
// 0 connections were cut off
