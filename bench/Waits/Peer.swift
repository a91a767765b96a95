import Foundation
import UV

/// The other end of a connection, on a thread and a loop of its own.
final class Peer: Sendable {
  private let address: SocketAddress
  private let reads: Bool

  init(_ address: SocketAddress, reads: Bool) {
    self.address = address
    self.reads = reads
  }

  /// Connects, and reads or writes as fast as it can until the connection ends.
  func start() {
    Thread.detachNewThread { [self] in
      let (address, reads) = (address, reads)
      EventLoop.run { loop in
        do {
          let connection = try await loop.tcp.connect(to: address).value
          let chunk = Bytes(repeating: 1, count: 64 << 10)
          if reads { for try await _ in connection {} }
          while !reads { try await connection.write(chunk).value }
        } catch {}
      }
    }
  }
}
