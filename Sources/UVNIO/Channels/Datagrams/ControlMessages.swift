#if NIO || NIOBootstraps || Everything
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// The facts about a datagram that travel beside its bytes, to the system and from it: a list in the form of
/// `cmsghdr`.
enum ControlMessages {
  typealias Metadata = AddressedEnvelope<ByteBuffer>.Metadata

  /// Room for the longest list: the congestion bits, the interface with its address, the segments' size, and
  /// a time.
  static let room = 4 * (header + aligned(20))

  private static let header = aligned(MemoryLayout<cmsghdr>.size)

  // What C's macros know.
  private static func aligned(_ size: Int) -> Int {
    #if canImport(Darwin)
    let unit = 4
    #else
    let unit = MemoryLayout<Int>.size
    #endif
    return (size + unit - 1) & ~(unit - 1)
  }

  // MARK: Options and kinds

  static let ip = Int32(IPPROTO_IP)
  static let ipv6 = Int32(IPPROTO_IPV6)
  static let udp = Int32(IPPROTO_UDP)
  static let congestionOption = IP_RECVTOS
  static let congestionOption6 = IPV6_RECVTCLASS

  #if canImport(Darwin)
  static let packetInfoOption = IP_RECVPKTINFO
  // Darwin's headers have these for programs that ask for RFC 3542 alone.
  static let packetInfoOption6: Int32 = 61
  private static let receivedTypeOfService = IP_RECVTOS
  private static let packetInfo6: Int32 = 46
  #else
  static let packetInfoOption = IP_PKTINFO
  static let packetInfoOption6 = IPV6_RECVPKTINFO
  private static let receivedTypeOfService = IP_TOS
  private static let packetInfo6 = IPV6_PKTINFO
  #endif

  // MARK: Writing

  /// Writes the list for a datagram that is sent.
  ///
  /// - Returns: How many bytes it has.
  static func write(_ metadata: Metadata, for address: SocketAddress?, to memory: UnsafeMutableRawPointer)
    -> Int
  {
    var size = 0
    switch address {
    case .v4?: append(metadata.ecnState.bits, ip, IP_TOS, to: memory, &size)
    case .v6?: append(metadata.ecnState.bits, ipv6, IPV6_TCLASS, to: memory, &size)
    default: break
    }
    #if os(Linux)
    if let segment = metadata.segmentSize {
      append(
        UInt16(clamping: segment), udp, Int32(NIOBSDSocket.Option.udp_segment.rawValue), to: memory, &size)
    }
    #endif
    return size
  }

  private static func append<Value: BitwiseCopyable>(
    _ value: Value, _ level: Int32, _ kind: Int32, to memory: UnsafeMutableRawPointer, _ size: inout Int
  ) {
    var head = cmsghdr()
    head.cmsg_len = numericCast(header + MemoryLayout<Value>.size)
    head.cmsg_level = level
    head.cmsg_type = kind
    memory.storeBytes(of: head, toByteOffset: size, as: cmsghdr.self)
    memory.storeBytes(of: value, toByteOffset: size + header, as: Value.self)
    size += header + aligned(MemoryLayout<Value>.size)
  }

  // MARK: Reading

  /// Reads the list of a datagram that has come.
  static func read(_ list: UnsafeRawBufferPointer) -> Metadata {
    var metadata = Metadata(ecnState: .transportNotCapable)
    var offset = 0
    while offset + MemoryLayout<cmsghdr>.size <= list.count {
      let head = list.loadUnaligned(fromByteOffset: offset, as: cmsghdr.self)
      let end = offset + Int(head.cmsg_len)
      guard end >= offset + header, end <= list.count else { break }
      read(head, UnsafeRawBufferPointer(rebasing: list[(offset + header)..<end]), &metadata)
      offset += aligned(Int(head.cmsg_len))
    }
    return metadata
  }

  private static func read(_ head: cmsghdr, _ value: UnsafeRawBufferPointer, _ metadata: inout Metadata) {
    switch (head.cmsg_level, head.cmsg_type) {
    case (ip, receivedTypeOfService) where !value.isEmpty:
      metadata.ecnState = NIOExplicitCongestionNotificationState(bits: Int32(value[0]))
    case (ipv6, IPV6_TCLASS) where value.count >= 4:
      metadata.ecnState = NIOExplicitCongestionNotificationState(bits: value.loadUnaligned(as: Int32.self))
    case (ip, IP_PKTINFO) where value.count >= 12:
      // `in_pktinfo`: the interface, the address of the route, and that of the datagram.
      let interface = Int(value.loadUnaligned(as: UInt32.self))
      metadata.packetInfo = SocketAddress(AF_INET, host: value[8..<12]).map {
        NIOPacketInfo(destinationAddress: $0, interfaceIndex: interface)
      }
    case (ipv6, packetInfo6) where value.count >= 20:
      // `in6_pktinfo`: the address and the interface.
      let interface = Int(value.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
      metadata.packetInfo = SocketAddress(AF_INET6, host: value[0..<16]).map {
        NIOPacketInfo(destinationAddress: $0, interfaceIndex: interface)
      }
    #if os(Linux)
    case (udp, Int32(NIOBSDSocket.Option.udp_gro.rawValue)) where value.count >= 4:
      metadata.segmentSize = Int(value.loadUnaligned(as: Int32.self))
    #endif
    default: break
    }
  }
}

extension SocketAddress {
  /// Where a host's bytes begin in a `sockaddr_in` and in a `sockaddr_in6`.
  private static func hostOffset(_ family: Int32) -> Int { family == AF_INET ? 4 : 8 }

  /// An address without a port, from the bytes of the host; nil if NIO has none of its family.
  fileprivate init?(_ family: Int32, host: Slice<UnsafeRawBufferPointer>) {
    var storage = sockaddr_storage()
    storage.ss_family = sa_family_t(family)
    withUnsafeMutableBytes(of: &storage) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[Self.hostOffset(family)...]).copyBytes(from: host)
    }
    self.init(storage)
  }

  /// The bytes of the host: 4 or 16 of them.
  var hostBytes: [UInt8] {
    withSockAddr { pointer, size in
      let family = Int32(pointer.pointee.sa_family)
      let bytes = UnsafeRawBufferPointer(start: pointer, count: size).dropFirst(Self.hostOffset(family))
      return Array(bytes.prefix(family == AF_INET ? 4 : 16))
    }
  }
}

extension NIOExplicitCongestionNotificationState {
  /// The two bits of an IP header.
  fileprivate var bits: Int32 {
    switch self {
    case .transportNotCapable: 0
    case .transportCapableFlag1: 1
    case .transportCapableFlag0: 2
    case .congestionExperienced: 3
    }
  }

  fileprivate init(bits: Int32) {
    switch bits & 3 {
    case 1: self = .transportCapableFlag1
    case 2: self = .transportCapableFlag0
    case 3: self = .congestionExperienced
    default: self = .transportNotCapable
    }
  }
}
#endif
