import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// Nagle's algorithm, which has the second of two small writes wait for the peer.
@Suite struct NoDelayTests {
  private func isOff(_ handle: Handle) throws -> Bool {
    var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    #expect(getsockopt(try handle.fileDescriptor(), Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size) == 0)
    return value != 0
  }

  @Test(
    "It is off for connections that are accepted and established, and on again if the program says so",
    .onTheMachine("getsockopt"))
  func byDefault() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let named = try await loop.tcp.connect(host: "127.0.0.1", port: Int(listener.localAddress().port)).value
      for connection in [client, server, named] {
        #expect(try isOff(connection))
        try connection.setNoDelay(false)
        #expect(try !isOff(connection))
        try await connection.close().value
      }
      try await listener.close().value
    }
  }

  @Test("A socket that is taken over keeps what it has", .onTheMachine("sockets of the system"))
  func takenOver() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      try listener.localAddress().withSocketAddress { address, length in
        #expect(connect(descriptor, address, length) == 0)
      }
      let connection = try loop.tcp.open(fileDescriptor: descriptor)
      #expect(try !isOff(connection))
      try await connection.close().value
      try await listener.close().value
    }
  }
}

extension SocketAddress {
  fileprivate func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
