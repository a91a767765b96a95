// Descriptors of other code's are taken over: sockets, pipes, a datagram socket; and passed through a channel.
import Foundation
import UV

enum TakenDescriptors: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try listener.localAddress().port
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let connected = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      print(connected)
      let client = try loop.tcp.open(fileDescriptor: descriptor)
      let connection = try await listener.accept().value
      try await client.write("through a descriptor").value
      print(try await connection.read().value == "through a descriptor")

      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let writing = try loop.pipes.open(fileDescriptor: ends[1])
      let reading = try loop.pipes.open(fileDescriptor: ends[0])
      try await writing.write("piped").value
      print(try await reading.read().value == "piped")

      let bound = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let datagrams = try loop.udp.open(fileDescriptor: dup(try bound.fileDescriptor()))
      try await bound.close().value
      try await datagrams.send("hello", to: SocketAddress("127.0.0.1", port: 9)).value
      print(HandleType(guessing: try datagrams.fileDescriptor()) == .udp)

      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      let server = try loop.pipes.listen(path: "/tmp/consumers-taken-\(SystemInfo.processID)")
      try await near.write("a listener", passing: server).value
      _ = try await far.read().value
      print(far.pendingHandleType == .pipe)
      let taken = try far.acceptPipeListener()
      taken.close()
      let (one, other) = try loop.pipes.socketPair()
      try await near.write("a pipe", passing: one).value
      _ = try await far.read().value
      let number = try far.acceptFileDescriptor()
      print(number > 2, HandleType(guessing: number) == .pipe)
      Foundation.close(number)
      one.close()
      other.close()
      let handles: [Handle] = [
        client, connection, listener, reading, writing, datagrams, near, far, server,
      ]
      for handle in handles { try await handle.close().value }
      print(handles.allSatisfy(\.isClosing))
    }
  }
}

// Prints:
// 0
// true
// true
// true
// true
// true true
// true
