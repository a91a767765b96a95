#if os(Linux)
import CUV
import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// A process that has taken over its predecessor's sockets, and says that it is ready.
@Suite(.serialized, .onTheMachine("processes that take over sockets")) struct ReadyTests {
  private static let first: Int32 = 200

  /// A socket that listens at a port of this machine's.
  private static func listen(at descriptor: Int32) -> String {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) {
      let address = $0.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return bind(made, address, size) == 0 && getsockname(made, address, &size) == 0
    }
    precondition(isBound && Foundation.listen(made, 5) == 0 && dup2(made, descriptor) == descriptor)
    _ = Foundation.close(made)
    return "127.0.0.1:\(in_port_t(bigEndian: address.sin_port))"
  }

  /// Takes one of two sockets over, and says that this process is ready. Its end is the answer.
  private static func takeOver() throws {
    PassedSockets.firstDescriptor.store(first, ordering: .relaxed)
    var ends: [Int32] = [-1, -1]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    precondition(dup2(ends[0], first) == first)
    _ = Foundation.close(ends[0])
    let places = [1, 2].map { listen(at: first + $0) }
    setenv("UV_HANDOVER", "2", 1)
    for (number, place) in places.enumerated() { setenv("UV_HANDOVER_\(number)", ":\(place)", 1) }
    let predecessor = ends[1]
    /// The count of bytes that the predecessor has got.
    @Sendable func received() -> Int {
      var buffer = [UInt8](repeating: 0, count: 10)
      return recv(predecessor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    }
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: Int(places[0].split(separator: ":")[1])!)
      // No child gets them.
      for descriptor in first...(first + 2) {
        guard fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 else { exit(2) }
      }
      guard received() == -1, errno == EAGAIN else { exit(3) }
      try ServiceManager.notify(.ready)
      guard received() == 1 else { exit(4) }
      // That was all, and the socket that nobody has taken is closed.
      guard received() == 0 else { exit(5) }
      guard fcntl(first + 2, F_GETFD) == -1 else { exit(6) }
      try ServiceManager.notify(.ready)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      try await listener.accept().value.close()
      client.close()
      listener.close()
    }
    exit(0)
  }

  @Test func `A successor notifies its predecessor once that it is ready, and closes what it hasn't taken`()
    async
  {
    await #expect(processExitsWith: .success) { try ReadyTests.takeOver() }
  }
}
#endif
