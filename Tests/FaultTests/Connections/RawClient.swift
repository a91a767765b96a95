import CUV
import Foundation
import Testing

/// The other end of a connection, without anything of this library's.
final class RawClient {
  enum Outcome: Equatable {
    case closed
    case bytes(Int)
  }

  #if os(Linux)
  private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
  private let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif

  /// Connects to a port of this machine; the system does that by itself while its queue has room.
  func connect(to port: UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafeBytes(of: &address) {
      Foundation.connect(
        descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    #expect(code == 0)
  }

  /// What the peer has done first, nil while it has done nothing.
  private(set) var outcome: Outcome?

  /// Looks whether the peer has done something.
  var hasOutcome: Bool {
    if outcome == nil { outcome = look() }
    return outcome != nil
  }

  private func look() -> Outcome? {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count == 0 || count < 0 && errno == ECONNRESET { return .closed }
    return count > 0 ? .bytes(count) : nil
  }

  deinit { close(descriptor) }
}
