import CUV
import Foundation

/// Two connected descriptors of the test's own.
struct DescriptorPair {
  struct Unavailable: Error {}

  let first, second: Int32

  static func datagrams() throws(Unavailable) -> DescriptorPair {
    #if os(Linux)
    try DescriptorPair(Int32(SOCK_DGRAM.rawValue))
    #else
    try DescriptorPair(SOCK_DGRAM)
    #endif
  }

  static func streams() throws(Unavailable) -> DescriptorPair {
    #if os(Linux)
    try DescriptorPair(Int32(SOCK_STREAM.rawValue))
    #else
    try DescriptorPair(SOCK_STREAM)
    #endif
  }

  private init(_ type: Int32) throws(Unavailable) {
    var pair: [Int32] = [-1, -1]
    // Injected faults strike here too.
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw Unavailable() }
    (first, second) = (pair[0], pair[1])
  }

  func close() {
    Foundation.close(first)
    Foundation.close(second)
  }
}
