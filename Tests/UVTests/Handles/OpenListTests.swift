import Testing
import UV
import UVTestSupport

/// The list of a loop's handles while they are opened and closed in any order.
@Suite struct OpenListTests {
  @Test("A loop lists and counts the handles that are open, whichever closes first", arguments: 1...6)
  func anyOrder(seed: UInt64) async throws {
    try await withLoop { loop in
      let draws = Draws(seed)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let own = loop.statistics.handles
      var open: [Handle] = []
      var accepted: [TCPConnection] = []
      var clients: [TCPConnection] = []
      for _ in 0..<60 {
        switch draws.draw(4) {
        case 0:
          let (near, far) = try loop.pipes.socketPair()
          open += [near, far]
        case 1:
          clients.append(try await loop.tcp.connect(to: listener.localAddress()).value)
          accepted.append(try await listener.accept().value)
        case 2 where !open.isEmpty: try await open.remove(at: draws.draw(open.count)).close().value
        case 3 where !accepted.isEmpty:
          let connection = accepted.remove(at: draws.draw(accepted.count))
          if draws.draw(2) == 0 {
            try await connection.close().value
          } else {
            try await connection.closeReset().value
          }
        default: break
        }
        #expect(loop.statistics.handles == own + open.count + accepted.count + clients.count)
        #expect(loop.openConnectionCount == accepted.count)
        let descriptors = Set(loop.handles.compactMap(\.fileDescriptor))
        for handle in open + accepted as [Handle] {
          let descriptor = try handle.fileDescriptor()
          #expect(descriptors.contains(descriptor))
          // Nobody else may take it over.
          #expect(throws: UVError.self) { try loop.pipes.open(fileDescriptor: descriptor) }
        }
      }
      for handle in open + accepted + clients as [Handle] { handle.close() }
      listener.close()
    }
  }

  @Test("A descriptor that was given back may be another handle's", arguments: [false, true])
  func descriptorAgain(isReset: Bool) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for _ in 0..<20 {
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let server = try await listener.accept().value
        let number = try server.fileDescriptor()
        if isReset { try await server.closeReset().value } else { try await server.close().value }
        // The lowest number that is free.
        let (near, far) = try loop.pipes.socketPair()
        #expect([try near.fileDescriptor(), try far.fileDescriptor()].contains(number))
        #expect(throws: UVError(.fileExists, operation: "pipe_open", subject: "descriptor \(number)")) {
          try loop.pipes.open(fileDescriptor: number)
        }
        for stream in [near, far, client] { try await stream.close().value }
      }
      listener.close()
    }
  }
}
