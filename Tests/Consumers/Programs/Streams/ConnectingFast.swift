// Connecting to hosts of which some addresses don't answer.
import UV

enum ConnectingFast: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let deaf = try loop.tcp.listen(host: "127.0.0.2", port: 0, backlog: 1)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var clients: [TCPConnection] = []
      // The queue of a listener that accepts nobody is full after some connections, and then it is silent.
      while true {
        let connecting = loop.tcp.connect(to: try deaf.localAddress()).timeout(after: .milliseconds(200))
        guard let client = try? await connecting.value else { break }
        clients.append(client)
      }
      let addresses = [try deaf.localAddress(), try listener.localAddress()]
      let start = loop.now
      let connection = try await loop.tcp.connect(toAnyOf: addresses).value
      let waited = start.duration(to: loop.now)
      print(try connection.peerAddress() == addresses[1], waited < .seconds(5))
      connection.close()

      let hasty = ConnectDelays(resolution: .milliseconds(10), attempt: .milliseconds(20))
      print(hasty.resolution < hasty.attempt)
      let again = try await loop.tcp.connect(toAnyOf: addresses, delays: hasty).value
      again.close()
      let port = Int(addresses[1].port)
      let named = try await loop.tcp.connect(host: "localhost", port: port, delays: hasty).value
      print(try named.peerAddress().port == addresses[1].port)
      named.close()
      clients.forEach { $0.close() }
      deaf.close()
      try await listener.close().value

      do throws(UVError) {
        _ = try await loop.tcp.connect(toAnyOf: [addresses[1], addresses[1]]).value
      } catch { print(error.code == .connectionRefused, error.message.contains(", 127.0.0.1:")) }
    }
    EventLoop.runCallbacks { loop in
      loop.tcp.connect(toAnyOf: []) { result in
        if case .failure(let error) = result { print(error) }
      }
    }
    print(ConnectDelays() == ConnectDelays(resolution: .milliseconds(50), attempt: .milliseconds(250)))
  }
}

// Prints:
// true true
// true
// true
// true true
// connect no address: invalid argument (EINVAL)
// true
