// Descriptors are taken over, passed through a channel, and files sent over a connection.
import Foundation
import UV

enum DescriptorsAndFiles: Program {
  static func main() throws {
    try takenDescriptors()
    try passingAConnection()
    try sendingAFile()
  }

  /// Descriptors of other code's are taken over: sockets, pipes, a datagram socket; and passed through a channel.
  private static func takenDescriptors() throws {
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

  /// A connection is passed through a channel, and served at the other end; a listener, a socket and a pipe, too.
  private static func passingAConnection() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value

      try await near.write("tcp", passing: connection).value
      connection.close()
      _ = try await far.read().value
      print(far.passesHandles, far.pendingHandleCount, far.pendingHandleType == .tcp)
      let passed = try far.acceptTCPConnection()
      try await passed.write("served elsewhere").value
      passed.close()
      for try await chunk in client { print(String(decoding: chunk, as: UTF8.self)) }
      client.close()

      try await near.write("listener", passing: listener).value
      _ = try await far.read().value
      let second = try far.acceptTCPListener()
      print(try second.localAddress() == listener.localAddress())
      second.close()
      listener.close()

      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try await near.write("udp", passing: socket).value
      _ = try await far.read().value
      print(far.pendingHandleType == .udp)
      let datagrams = try far.acceptUDPSocket()
      print(try datagrams.localAddress() == socket.localAddress())
      datagrams.close()
      socket.close()

      let (one, other) = try loop.pipes.socketPair()
      try await near.write("pipe", passing: other).value
      _ = try await far.read().value
      let pipe = try far.acceptPipeConnection()
      try await pipe.write("through").value
      let bytes = try await one.read().value
      print(bytes == "through")
      for stream in [near, far, one, other, pipe] { stream.close() }
    }
  }

  /// A file is sent over a connection by the kernel, and copied to another file.
  private static func sendingAFile() throws {
    try EventLoop.run { loop in
      let source = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      try await source.write(Bytes(repeating: 7, count: 300_000)).value
      let target = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      defer {
        loop.files.unlink(source.path) { _ in }
        loop.files.unlink(target.path) { _ in }
      }
      print(try await source.sendfile(to: target, count: 300_000).value)
      print(try await target.stat().value.size)

      let (near, far) = try loop.pipes.socketPair()
      let sending = loop.spawn { try await near.sendfile(source, from: 100_000, count: 200_000).value }
      var count = 0
      while count < 200_000, let bytes = try await far.read().value { count += bytes.count }
      print(try await sending.value, count)
      near.close()
      far.close()
      try await source.close().value
      try await target.close().value
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
// true 1 true
// served elsewhere
// true
// true
// true
// true
// 300000
// 300000
// 200000 200000
