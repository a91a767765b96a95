// Connections: their options and addresses, and a chat room of them.
import UV

private final class Room {
  private var members: [Int: TCPConnection] = [:]
  private var nextNumber = 1

  func join(_ connection: TCPConnection) -> Int {
    defer { nextNumber += 1 }
    members[nextNumber] = connection
    return nextNumber
  }

  func leave(_ number: Int) {
    members.removeValue(forKey: number)?.close()
  }

  func say(_ text: String, from number: Int) async {
    for (other, connection) in members.sorted(by: { $0.key < $1.key }) where other != number {
      do { try await connection.write(Bytes("\(number): \(text)")).value } catch { leave(other) }
    }
  }

  func serve(_ connection: TCPConnection) async throws {
    let number = join(connection)
    defer { leave(number) }
    for try await chunk in connection {
      await say(String(decoding: chunk, as: UTF8.self), from: number)
    }
  }

  var isEmpty: Bool { members.isEmpty }
}

enum Connections: Program {
  static func main() throws {
    try tcpDetails()
    try chatRoom()
  }

  /// The options and the addresses of a TCP connection, and its reset.
  private static func tcpDetails() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: 16)
      try listener.setSimultaneousAccepts(true)
      let client = try await loop.tcp.connect(host: "localhost", port: Int(listener.localAddress().port))
        .value
      let connection = try await listener.accept().value
      try client.setNoDelay()
      try client.setKeepAlive(.seconds(60))
      try client.setKeepAlive(nil)
      try client.setSendBufferSize(32768)
      try client.setReceiveBufferSize(32768)
      print(try client.sendBufferSize() >= 32768, try client.receiveBufferSize() >= 32768)
      print(try client.peerAddress() == listener.localAddress())
      print(try client.localAddress() == connection.peerAddress())
      print(try client.fileDescriptor() >= 0, client.isReadable, client.isWritable)
      print(client.isActive, listener.isClosing, client.keepsLoopRunning)
      do {
        try await connection.closeReset().value
        _ = try await client.read().value
        print("no error")
      } catch let error as UVError {
        print(error.code == .connectionReset, connection.isClosing)
      }
      client.close()
      listener.close()
    }
  }

  /// A chat room: a class that keeps its connections in a dictionary and sends to all of them.
  private static func chatRoom() throws {
    try EventLoop.run { loop in
      let room = Room()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var clients: [TCPConnection] = []
      var tasks: [LoopTask<Void, any Error>] = []
      for _ in 0..<3 {
        clients.append(try await loop.tcp.connect(to: listener.localAddress()).value)
        let connection = try await listener.accept().value
        tasks.append(loop.spawn { try await room.serve(connection) })
      }
      // All have joined once the task that serves them has had its turn.
      try await loop.sleep(for: .milliseconds(1)).value
      try await clients[0].write("hello").value
      for client in clients[1...] {
        guard let bytes = try await client.read().value else { return print("closed") }
        print(String(decoding: bytes, as: UTF8.self))
      }
      clients.forEach { $0.close() }
      for task in tasks { try await task.value }
      print(room.isEmpty)
      listener.close()
    }
  }
}

// Prints:
// true true
// true
// true
// true true true
// false false true
// true true
// 1: hello
// 1: hello
// true
