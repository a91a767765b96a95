// A single loop ends in good order: nobody new is accepted, and who is there is given time.
import UV

enum GracefulShutdownOfALoop: Program {
  static func serve(_ loop: EventLoop, _ listener: TCPListener) async {
    do {
      for try await connection in listener {
        loop.spawn {
          do {
            for try await chunk in connection {
              try await loop.sleep(for: .milliseconds(20)).value
              try await connection.write(chunk).value
            }
          } catch { print("connection: \(error)") }
        }
      }
      print("the listener has ended")
    } catch {
      print("listener: \(error)")
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.spawn { await serve(loop, listener) }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      try await client.write("in flight").value
      try await loop.sleep(for: .milliseconds(5)).value
      loop.spawn {
        do {
          print(try await client.read().value == "in flight")
          client.close()
        } catch { print("client: \(error)") }
      }
      let report = try await loop.shutdownGracefully(within: .seconds(10)).value
      print("\(report.count) cut off", report.peers.isEmpty)
    }
  }
}

// Prints:
// the listener has ended
// true
// 0 cut off true
